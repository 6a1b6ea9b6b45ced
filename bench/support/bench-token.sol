// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that can be sent to many in one transaction.
contract BenchToken is ERC20 {
    constructor(address[] memory holders) ERC20("Bench", "BEN") {
        for (uint256 i = 0; i < holders.length; i++) _mint(holders[i], 1e30);
    }

    function transferMany(address[] calldata to, uint256 amount) external {
        for (uint256 i = 0; i < to.length; i++) _transfer(msg.sender, to[i], amount);
    }
}
