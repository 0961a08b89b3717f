import Foundation

/// Creates values of `Codable` types without data, in which equal parts are rare.
struct SampleDecoder: Decoder {
    private final class Counter {
        var count = 0
    }

    private let counter: Counter
    /// Selects other values, also for types with few values, such as `Bool`.
    private let round: Int
    private let hasOptionals: Bool
    private let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private struct NoSample: Error {}

    private static let maximumDepth = 16
    /// The depth from which arrays are empty and optionals are nil, so that recursive types end.
    private static let shallowDepth = 4

    /// Returns `nil` if the type accepts none of the sample values.
    ///
    /// - Parameters:
    ///   - round: A number from 0; each selects other values.
    ///   - hasOptionals: Whether optional members are not nil.
    static func sample<Value: Decodable>(_ type: Value.Type, round: Int, hasOptionals: Bool) -> Value? {
        let decoder = SampleDecoder(counter: Counter(), round: round, hasOptionals: hasOptionals, depth: 0)
        return try? decoder.value(type)
    }

    fileprivate func child() throws -> SampleDecoder {
        guard depth < Self.maximumDepth else { throw NoSample() }
        return SampleDecoder(counter: counter, round: round, hasOptionals: hasOptionals, depth: depth + 1)
    }

    fileprivate var endsHere: Bool { depth >= Self.shallowDepth }
    fileprivate var omitsOptionals: Bool { !hasOptionals || endsHere }

    private func next() -> Int {
        counter.count += 1
        return counter.count + round * 3
    }

    fileprivate func bool() -> Bool { choice(of: 2) == 1 }
    fileprivate func text() -> String { "Text \(next())" }
    fileprivate func integer<Integer: FixedWidthInteger>() -> Integer { Integer(truncatingIfNeeded: next()) }
    fileprivate func real() -> Double { Double(next()) + 0.5 }

    /// Returns a digit of the value's number, so that two values differ in one of the rounds.
    private func choice(of count: Int) -> Int {
        counter.count += 1
        return count < 2 ? 0 : (0..<round).reduce(counter.count) { number, _ in number / count } % count
    }

    fileprivate func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = try known(type) as? Value { return value }
        if let type = type as? any CaseIterable.Type, let value = self.case(of: type) as? Value { return value }
        do { return try Value(from: child()) } catch {
            guard let value = firstCase(type) else { throw error }
            return value
        }
    }

    private func known(_ type: any Any.Type) throws -> Any? {
        switch type {
        case is Date.Type: Date(timeIntervalSinceReferenceDate: real())
        case is Decimal.Type: Decimal(real())
        case is URL.Type: URL(string: "https://example.com/\(next())")
        case is UUID.Type: UUID(uuidString: String(format: "00000000-0000-0000-0000-%012d", next()))
        case is Data.Type: Data([UInt8(truncatingIfNeeded: next())])
        default: nil
        }
    }

    private func `case`<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
        let cases = Array(Cases.allCases)
        return cases.isEmpty ? nil : cases[choice(of: cases.count)]
    }

    /// Returns the first case of an enumeration with raw values that rejects all sample values.
    private func firstCase<Value>(_ type: Value.Type) -> Value? {
        // A type of one byte without references has no invalid value 0: it is the first case of an enumeration.
        guard type is any RawRepresentable.Type, _isPOD(type), MemoryLayout<Value>.size <= 1 else { return nil }
        var byte: UInt8 = 0
        return withUnsafeBytes(of: &byte) { $0.loadUnaligned(as: type) }
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SampleKeyed(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { SampleElements(decoder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { SampleSingle(decoder: self) }
}

private struct SampleSingle: SingleValueDecodingContainer {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.endsHere }
    func decode(_ type: Bool.Type) -> Bool { decoder.bool() }
    func decode(_ type: String.Type) -> String { decoder.text() }
    func decode(_ type: Double.Type) -> Double { decoder.real() }
    func decode(_ type: Float.Type) -> Float { Float(decoder.real()) }
    func decode(_ type: Int.Type) -> Int { decoder.integer() }
    func decode(_ type: Int8.Type) -> Int8 { decoder.integer() }
    func decode(_ type: Int16.Type) -> Int16 { decoder.integer() }
    func decode(_ type: Int32.Type) -> Int32 { decoder.integer() }
    func decode(_ type: Int64.Type) -> Int64 { decoder.integer() }
    func decode(_ type: Int128.Type) -> Int128 { decoder.integer() }
    func decode(_ type: UInt.Type) -> UInt { decoder.integer() }
    func decode(_ type: UInt8.Type) -> UInt8 { decoder.integer() }
    func decode(_ type: UInt16.Type) -> UInt16 { decoder.integer() }
    func decode(_ type: UInt32.Type) -> UInt32 { decoder.integer() }
    func decode(_ type: UInt64.Type) -> UInt64 { decoder.integer() }
    func decode(_ type: UInt128.Type) -> UInt128 { decoder.integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}

private struct SampleKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { [] }
    /// No keys, so that dictionaries are empty.
    var allKeys: [Key] { [] }
    private var single: SampleSingle { SampleSingle(decoder: decoder) }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { decoder.omitsOptionals }
    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { single.decode(type) }
    func decode(_ type: String.Type, forKey key: Key) -> String { single.decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { single.decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) -> Float { single.decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) -> Int { single.decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { single.decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { single.decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { single.decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { single.decode(type) }
    func decode(_ type: Int128.Type, forKey key: Key) -> Int128 { single.decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) -> UInt { single.decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { single.decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { single.decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { single.decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { single.decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) -> UInt128 { single.decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder.value(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try decoder.child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child().unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder.child() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.child() }
}

private struct SampleElements: UnkeyedDecodingContainer {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { [] }
    var currentIndex = 0
    var count: Int? { decoder.endsHere ? 0 : 1 }
    var isAtEnd: Bool { currentIndex >= (count ?? 0) }

    init(decoder: SampleDecoder) { self.decoder = decoder }

    private var single: SampleSingle {
        mutating get {
            currentIndex += 1
            return SampleSingle(decoder: decoder)
        }
    }

    mutating func decodeNil() -> Bool { false }
    mutating func decode(_ type: Bool.Type) -> Bool { single.decode(type) }
    mutating func decode(_ type: String.Type) -> String { single.decode(type) }
    mutating func decode(_ type: Double.Type) -> Double { single.decode(type) }
    mutating func decode(_ type: Float.Type) -> Float { single.decode(type) }
    mutating func decode(_ type: Int.Type) -> Int { single.decode(type) }
    mutating func decode(_ type: Int8.Type) -> Int8 { single.decode(type) }
    mutating func decode(_ type: Int16.Type) -> Int16 { single.decode(type) }
    mutating func decode(_ type: Int32.Type) -> Int32 { single.decode(type) }
    mutating func decode(_ type: Int64.Type) -> Int64 { single.decode(type) }
    mutating func decode(_ type: Int128.Type) -> Int128 { single.decode(type) }
    mutating func decode(_ type: UInt.Type) -> UInt { single.decode(type) }
    mutating func decode(_ type: UInt8.Type) -> UInt8 { single.decode(type) }
    mutating func decode(_ type: UInt16.Type) -> UInt16 { single.decode(type) }
    mutating func decode(_ type: UInt32.Type) -> UInt32 { single.decode(type) }
    mutating func decode(_ type: UInt64.Type) -> UInt64 { single.decode(type) }
    mutating func decode(_ type: UInt128.Type) -> UInt128 { single.decode(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try decoder.child().value(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        currentIndex += 1
        return try decoder.child().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return try decoder.child().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        currentIndex += 1
        return try decoder.child()
    }
}
