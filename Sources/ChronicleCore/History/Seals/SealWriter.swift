/// Writes the canonical bytes of sealed history, the input of its hashes, in the notation of the article "The seal format".
///
/// This type and those that use it are the only place that knows the bytes. They are the same for every kind of store.
struct SealWriter {
    /// The beginning of each input. Without it, the input of one hash could be that of another one.
    enum Label: String {
        case value = "chr1:value"
        case key = "chr1:key"
        case description = "chr1:descr"
        case transaction = "chr1:trans"
        case catalog = "chr1:catalog"
        case event = "chr1:event"
        case erasedValues = "chr1:erased"
        case seal = "chr1:seal"
        case head = "chr1:head"

        static let length = 16
    }

    /// `nil` if the bytes themselves are the result.
    private let function: (any HistoryHashFunction)?
    /// Short parts are collected, because each call of a library costs more than the bytes of most parts.
    private var buffer: [UInt8] = []
    private static let capacity = 4_096

    /// - Parameter function: The function of the hash; without it, ``bytes`` has the bytes.
    init(_ label: Label, _ function: (any HistoryHashFunction)? = nil) {
        self.function = function
        buffer += label.rawValue.utf8
        buffer += repeatElement(0, count: Label.length - buffer.count)
    }

    /// The bytes so far, if there is no function.
    var bytes: [UInt8] { buffer }

    /// Returns the hash of the bytes; zeros if there is no function.
    func finish() throws -> HistoryDigest {
        buffer.withUnsafeBytes { function?.update($0) }
        return try function?.finish() ?? .zero
    }

    // MARK: Parts

    mutating func append(raw bytes: UnsafeRawBufferPointer) {
        if let function, buffer.count + bytes.count > Self.capacity {
            buffer.withUnsafeBytes { function.update($0) }
            buffer.removeAll(keepingCapacity: true)
            if bytes.count > Self.capacity { return function.update(bytes) }
        }
        buffer.append(contentsOf: bytes)
    }

    /// `u8`
    mutating func append(byte: UInt8) {
        withUnsafeBytes(of: byte) { append(raw: $0) }
    }

    /// `i64`
    mutating func append(_ integer: Int64) {
        withUnsafeBytes(of: integer.bigEndian) { append(raw: $0) }
    }

    /// `f64`. The bits of a NaN can depend on the processor.
    mutating func append(_ real: Double) {
        append(Int64(bitPattern: real.isNaN ? 0x7ff8_0000_0000_0000 : real.bitPattern))
    }

    mutating func append(_ digest: HistoryDigest) {
        digest.withUnsafeBytes { append(raw: $0) }
    }

    /// `bytes`
    mutating func append(bytes: UnsafeRawBufferPointer) {
        append(Int64(bytes.count))
        append(raw: bytes)
    }

    /// `bytes` or `text`
    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(bytes: $0) }
    }

    /// `?x`
    mutating func append<Value>(optional value: Value?, _ write: (inout SealWriter, Value) -> Void) {
        append(byte: value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    /// `?text`
    mutating func append(optional text: [UInt8]?) {
        append(optional: text) { $0.append($1) }
    }

    /// `[x]`
    mutating func append<Elements: Sequence>(
        list elements: Elements, _ write: (inout SealWriter, Elements.Element) -> Void
    ) {
        var count: Int64 = 0
        for element in elements {
            beginElement()
            write(&self, element)
            count += 1
        }
        endList(of: count)
    }

    /// Begins an element of a list whose elements arrive one by one.
    mutating func beginElement() { append(byte: 1) }

    /// Ends a list. The count is at its end, so that the list can be written before its length is known.
    mutating func endList(of count: Int64) {
        append(byte: 0)
        append(count)
    }

    /// `value`
    mutating func append(_ value: SealedValue) {
        switch value {
        case .null:
            append(byte: 0)
        case .integer(let integer):
            append(byte: 1)
            append(integer)
        case .real(let real):
            append(byte: 2)
            append(real)
        case .text(let bytes):
            append(byte: 3)
            append(bytes: bytes)
        case .binary(let bytes):
            append(byte: 4)
            append(bytes: bytes)
        case .entity(let number):
            append(byte: 5)
            append(number)
        }
    }
}

/// A value with its storage class, as a row of the history contains it.
///
/// Its bytes are those of the database, without a copy, and are used only during the call that receives the value. A text is not
/// a `String`, which would repair invalid UTF-8, so that two values could have the same hash.
package enum SealedValue {
    case null
    case integer(Int64)
    case real(Double)
    /// The UTF-8 of a text.
    case text(UnsafeRawBufferPointer)
    case binary(UnsafeRawBufferPointer)
    /// The number of an entity, in place of its name, which a migration can change.
    case entity(Int64)
}
