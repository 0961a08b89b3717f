// The part of Apple's CryptoKit that sealed history uses.

public import Foundation

public protocol HashFunction: Sendable {
    associatedtype Digest: ContiguousBytes, Sequence<UInt8>
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

public struct SHA256Digest: ContiguousBytes, Sequence {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

public struct SHA256: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA256Digest { fatalError() }
}

public struct SymmetricKey: ContiguousBytes, Sendable {
    public init<D>(data: D) where D: ContiguousBytes {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Sequence {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

public struct HMAC<H: HashFunction>: Sendable {
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> HashedAuthenticationCode<H> { fatalError() }
}

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { fatalError() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { fatalError() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                fatalError()
            }
        }

        public struct PrivateKey: Sendable {
            public var publicKey: PublicKey { fatalError() }
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
        }
    }
}
