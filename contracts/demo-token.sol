// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// The token of the local chain: six decimals like the dollar tokens in use, and anyone may mint.
contract DemoToken is ERC20 {
    constructor() ERC20("Demo Dollar", "DUSD") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
