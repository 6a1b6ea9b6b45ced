import { encodeDeployData, encodeFunctionData } from "viem/utils";
import { ANVIL_ACCOUNTS, type Anvil } from "./anvil.ts";
import { compileSolidity } from "./contracts.ts";

// Contracts through which money moves in every way that a contract can move it.

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

// A contract wallet, as a Safe or an ERC-4337 account: others move what it holds by an internal call.
contract Vault {
  receive() external payable {}
  function execute(address payable to, uint256 value, bytes calldata data) external payable {
    (bool ok, ) = to.call{value: value}(data);
    require(ok, "failed");
  }
}

contract Disperse {
  function disperse(address payable[] calldata to, uint256[] calldata values) external payable {
    for (uint256 i = 0; i < to.length; i++) { (bool ok, ) = to[i].call{value: values[i]}(""); require(ok); }
  }
  function disperseToken(ERC20 token, address[] calldata to, uint256[] calldata values) external {
    for (uint256 i = 0; i < to.length; i++) require(token.transferFrom(msg.sender, to[i], values[i]));
  }
}

contract Router {
  function route(address payable to, uint256 hops) external payable {
    if (hops == 0) { (bool ok, ) = to.call{value: msg.value}("paid"); require(ok); }
    else this.route{value: msg.value}(to, hops - 1);
  }
}

contract Bomb {
  constructor() payable {}
  function destroy(address payable to) external { selfdestruct(to); }
}

contract Child { constructor() payable {} }

contract Flash { constructor(address payable to) payable { selfdestruct(to); } }

contract Factory {
  event Made(address child);
  function create() external payable { emit Made(address(new Child{value: msg.value}())); }
  function create2(bytes32 salt) external payable { emit Made(address(new Child{value: msg.value, salt: salt}())); }
  function flash(address payable to) external payable { new Flash{value: msg.value}(to); }
  function flashBurn(bytes32 salt) external payable { new SelfBurn{value: msg.value, salt: salt}(); }
  function childAt(bytes32 salt) external view returns (address) {
    return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(type(Child).creationCode))))));
  }
}

contract SelfBurn { constructor() payable { selfdestruct(payable(address(this))); } }

contract Payer {
  receive() external payable {}
  function pay(address payable to, uint256 value) external payable { (bool ok, ) = to.call{value: value}(""); require(ok); }
}

// A proxy: value arrives at it, and its logic runs by DELEGATECALL with that same value in snapshot.
contract Proxy {
  address immutable logic;
  constructor(address at) payable { logic = at; }
  receive() external payable {}
  fallback() external payable {
    (bool ok, ) = logic.delegatecall(msg.data);
    require(ok);
  }
}

contract Catcher {
  receive() external payable {}
  function payAndRevert(address payable to) external payable {
    (bool ok, ) = to.call{value: msg.value}("");
    require(ok);
    revert("after all");
  }
  // The inner frame fails with what is below it; the outer one goes on and pays once.
  function tryThenPay(address payable to) external payable {
    try this.payAndRevert{value: msg.value}(to) { revert("cannot be"); } catch {}
    (bool ok, ) = to.call{value: msg.value / 2}("");
    require(ok);
  }
  function payThenFail(address payable to) external payable {
    (bool ok, ) = to.call{value: msg.value}("");
    require(ok);
    revert("whole");
  }
}

contract Token is ERC20 {
  uint8 immutable places;
  constructor(uint8 decimals_) ERC20("Token", "TOK") { places = decimals_; }
  function decimals() public view override returns (uint8) { return places; }
  function mint(address to, uint256 amount) external { _mint(to, amount); }
  function burn(uint256 amount) external { _burn(msg.sender, amount); }
}

// As USDT: its transfers answer nothing.
contract Silent {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);
  function mint(address to, uint256 amount) external { balanceOf[to] += amount; emit Transfer(address(0), to, amount); }
  function transfer(address to, uint256 amount) external {
    balanceOf[msg.sender] -= amount; balanceOf[to] += amount; emit Transfer(msg.sender, to, amount);
  }
}

// Keeps a hundredth, and logs both parts.
contract Taxed is ERC20 {
  address constant collector = address(0xfee);
  constructor() ERC20("Taxed", "TAX") {}
  function mint(address to, uint256 amount) external { _mint(to, amount); }
  function _update(address from, address to, uint256 value) internal override {
    if (from == address(0) || to == address(0)) { super._update(from, to, value); return; }
    uint256 fee = value / 100;
    super._update(from, collector, fee);
    super._update(from, to, value - fee);
  }
}

// Says what was sent, and gives less: a hundredth is gone without a word.
contract Skimming {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);
  function mint(address to, uint256 amount) external { balanceOf[to] += amount; emit Transfer(address(0), to, amount); }
  function transfer(address to, uint256 amount) external returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount - amount / 100;
    emit Transfer(msg.sender, to, amount);
    return true;
  }
  // Takes the hundredth of the sender, on top.
  function send(address to, uint256 amount) external returns (bool) {
    balanceOf[msg.sender] -= amount + amount / 100;
    balanceOf[to] += amount;
    emit Transfer(msg.sender, to, amount);
    return true;
  }
  // Takes all of it.
  function swallow(address to, uint256 amount) external returns (bool) {
    balanceOf[msg.sender] -= amount;
    emit Transfer(msg.sender, to, amount);
    return true;
  }
}

contract WETH9 {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed src, address indexed dst, uint256 wad);
  event Deposit(address indexed dst, uint256 wad);
  event Withdrawal(address indexed src, uint256 wad);
  receive() external payable { deposit(); }
  function deposit() public payable virtual { balanceOf[msg.sender] += msg.value; emit Deposit(msg.sender, msg.value); }
  function withdraw(uint256 wad) public virtual {
    balanceOf[msg.sender] -= wad;
    (bool ok, ) = msg.sender.call{value: wad}("");
    require(ok);
    emit Withdrawal(msg.sender, wad);
  }
  function transfer(address dst, uint256 wad) public returns (bool) {
    balanceOf[msg.sender] -= wad; balanceOf[dst] += wad; emit Transfer(msg.sender, dst, wad); return true;
  }
  // Two movements that log what one does where the burn is a Transfer too.
  function leaveTwice(uint256 wad) external { transfer(address(0), wad); withdraw(wad); }
}

// As some L2 variants: the mint and the burn are logged as Transfers too.
contract LoudWeth is WETH9 {
  function deposit() public payable override {
    balanceOf[msg.sender] += msg.value;
    emit Transfer(address(0), msg.sender, msg.value);
    emit Deposit(msg.sender, msg.value);
  }
  function withdraw(uint256 wad) public override {
    balanceOf[msg.sender] -= wad;
    emit Transfer(msg.sender, address(0), wad);
    (bool ok, ) = msg.sender.call{value: wad}("");
    require(ok);
    emit Withdrawal(msg.sender, wad);
  }
}

// Logs transfers that never were.
contract Spoofer {
  event Transfer(address indexed from, address indexed to, uint256 value);
  function spoof(address from, address to, uint256 value) external { emit Transfer(from, to, value); }
}
`;

type Names =
  | "Vault"
  | "Disperse"
  | "Router"
  | "Bomb"
  | "Factory"
  | "Payer"
  | "Proxy"
  | "Catcher"
  | "Token"
  | "Silent"
  | "Taxed"
  | "Skimming"
  | "WETH9"
  | "LoudWeth"
  | "Spoofer";

/** The verbs that these need of whatever node. */
type Node = Pick<Anvil, "send" | "receipt" | "rpc">;

export type Contract = Awaited<ReturnType<typeof deploy>>;

/** More than any of these calls takes; given, so that a call that fails is mined all the same. */
const gas = "0x2dc6c0";

const deployer = ANVIL_ACCOUNTS[9];

/** Deploys one of them; `amountAtomic` is its endowment. */
export async function deploy(
  anvil: Node,
  name: Names,
  options: { args?: readonly unknown[]; amountAtomic?: bigint; isMined?: boolean } = {},
) {
  const compiled = (await compileSolidity(source, { evmVersion: "paris" }))[name];
  if (compiled === undefined) throw new Error(`${name} was not compiled`);
  const { abi, bytecode } = compiled;
  const data = encodeDeployData({ abi, bytecode, args: options.args ?? [] });
  const value = `0x${(options.amountAtomic ?? 0n).toString(16)}`;
  const hash = await anvil.send({ from: deployer, data, value, gas });
  const { contractAddress: address } = await anvil.receipt(hash);
  if (address === null) throw new Error(`${name} was not deployed`);
  const encode = (functionName: string, args: readonly unknown[] = []) =>
    encodeFunctionData({ abi, functionName, args });
  const send = (from: string, data: string, amountAtomic = 0n) =>
    anvil.send({ from, to: address, data, value: `0x${amountAtomic.toString(16)}`, gas });
  return {
    address: address as `0x${string}`,
    encode,
    /** Answers the hash when it is sent. */
    send: (from: string, functionName: string, args: readonly unknown[], amountAtomic?: bigint) =>
      send(from, encode(functionName, args), amountAtomic),
    /** Sends calldata of another contract's, as to a proxy. */
    sendData: send,
    /** Answers the hash when it is mined, also of one that failed. */
    async call(
      from: string,
      functionName: string,
      args: readonly unknown[],
      amountAtomic?: bigint,
    ) {
      const hash = await send(from, encode(functionName, args), amountAtomic);
      await anvil.receipt(hash);
      return hash;
    },
    read: (functionName: string, args: readonly unknown[] = []) =>
      anvil.rpc<string>("eth_call", { to: address, data: encode(functionName, args) }, "latest"),
    async balanceOf(owner: string, at: number | "latest" = "latest"): Promise<bigint> {
      const block = at === "latest" ? at : `0x${at.toString(16)}`;
      const call = { to: address, data: encode("balanceOf", [owner]) };
      return BigInt(await anvil.rpc<string>("eth_call", call, block));
    },
  };
}

/** One of each that needs no endowment. */
export async function deployMoneyContracts(anvil: Node) {
  const decimals = [0, 6, 8, 18, 27];
  const tokens = [];
  for (const places of decimals) {
    tokens.push({ decimals: places, contract: await deploy(anvil, "Token", { args: [places] }) });
  }
  return {
    tokens,
    vault: await deploy(anvil, "Vault"),
    disperse: await deploy(anvil, "Disperse"),
    router: await deploy(anvil, "Router"),
    factory: await deploy(anvil, "Factory"),
    catcher: await deploy(anvil, "Catcher"),
    silent: await deploy(anvil, "Silent"),
    taxed: await deploy(anvil, "Taxed"),
    weth: await deploy(anvil, "WETH9"),
    loud: await deploy(anvil, "LoudWeth"),
    spoofer: await deploy(anvil, "Spoofer"),
  };
}
