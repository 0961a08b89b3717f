#if Postgres
    import ChronicleCPostgres
    import Foundation

    /// The values of `$1`, `$2`, … in the server's binary formats. All share one buffer, so that binding allocates no
    /// memory.
    struct Parameters {
        private(set) var types: [Oid] = []
        private var lengths: [Int32] = []
        /// 1 for the binary format, 0 for text.
        private var formats: [Int32] = []
        /// The start of each value in ``bytes``, or -1 for NULL.
        private var offsets: [Int] = []
        /// Not empty, so that it has an address: an empty value must not become NULL.
        private var bytes: [UInt8] = [0]

        var count: Int { types.count }

        init() {}

        init(_ values: Value...) {
            for value in values { append(value) }
        }

        enum Value {
            case null(ElementType)
            case int64(Int64)
            case double(Double)
            case text(String)
            case data(Data)
            case array(ParameterArray)
            /// The identifier of a transaction on the server.
            case xid8(Int64)
        }

        mutating func append(_ value: Value) {
            switch value {
            case .null(let type): appendNull(type)
            case .int64(let value): append(value)
            case .double(let value): append(value)
            case .text(let value): append(value)
            case .data(let value): append(value)
            case .array(let value): append(value)
            case .xid8(let value): append(value, .xid8)
            }
        }

        mutating func append(_ value: Int64) { append(value, .int8) }

        private mutating func append(_ value: Int64, _ type: ElementType) {
            add(type, length: 8)
            bytes.append(bigEndian: UInt64(bitPattern: value))
        }

        mutating func append(_ value: Double) {
            add(.float8, length: 8)
            bytes.append(bigEndian: value.bitPattern)
        }

        mutating func append(_ value: String) {
            var value = value
            value.withUTF8 { utf8 in
                add(.text, length: utf8.count)
                bytes.append(contentsOf: utf8)
            }
        }

        mutating func append(_ value: Data) {
            add(.bytea, length: value.count)
            bytes.append(contentsOf: value)
        }

        mutating func append(_ value: ParameterArray) {
            value.write { header, elements in
                types.append(value.type.array)
                formats.append(1)
                offsets.append(bytes.count)
                lengths.append(Int32(header.count + elements.count))
                bytes += header
                bytes += elements
            }
        }

        /// Without a type, the server infers it.
        mutating func appendNull(_ type: ElementType? = nil) {
            types.append(type?.rawValue ?? 0)
            formats.append(1)
            offsets.append(-1)
            lengths.append(0)
        }

        /// The server infers the type of the text, which has no NUL characters.
        mutating func append(untyped text: String) {
            append(text)
            // A value in the text format ends with a NUL character.
            bytes.append(0)
            types[count - 1] = 0
            formats[count - 1] = 0
        }

        private mutating func add(_ type: ElementType, length: Int) {
            types.append(type.rawValue)
            formats.append(1)
            offsets.append(bytes.count)
            lengths.append(Int32(length))
        }

        func withArguments<Result>(
            _ body: (
                _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
                _ formats: UnsafePointer<Int32>?
            ) -> Result
        ) -> Result {
            guard !types.isEmpty else { return body(nil, nil, nil) }
            return bytes.withUnsafeBytes { bytes in
                let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                let values = offsets.map { offset in offset < 0 ? nil : base.map { UnsafePointer($0 + offset) } }
                return values.withUnsafeBufferPointer { values in
                    lengths.withUnsafeBufferPointer { lengths in
                        formats.withUnsafeBufferPointer { formats in
                            body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
                        }
                    }
                }
            }
        }
    }

    /// One parameter for statements that write or look up many rows.
    struct ParameterArray {
        let type: ElementType
        private(set) var count = 0
        private var hasNulls = false
        private var bytes: [UInt8] = []

        init(_ type: ElementType) { self.type = type }

        /// The size of the elements in bytes.
        var size: Int { bytes.count }

        init(_ values: some Sequence<Int64>) {
            self.init(.int8)
            for value in values { append(value) }
        }

        init(_ values: some Sequence<String>) {
            self.init(.text)
            for value in values { append(value) }
        }

        mutating func reserveCapacity(_ capacity: Int) { bytes.reserveCapacity(capacity) }

        mutating func append(_ value: Int64) {
            count += 1
            bytes.append(bigEndian: UInt32(8))
            bytes.append(bigEndian: UInt64(bitPattern: value))
        }

        mutating func append(_ value: Double) {
            count += 1
            bytes.append(bigEndian: UInt32(8))
            bytes.append(bigEndian: value.bitPattern)
        }

        mutating func append(_ value: String) {
            count += 1
            var value = value
            value.withUTF8 { utf8 in
                bytes.append(bigEndian: UInt32(utf8.count))
                bytes.append(contentsOf: utf8)
            }
        }

        mutating func append(_ value: Data) {
            count += 1
            bytes.append(bigEndian: UInt32(value.count))
            bytes.append(contentsOf: value)
        }

        mutating func appendNull() {
            count += 1
            hasNulls = true
            bytes.append(bigEndian: UInt32.max)
        }

        /// The header has the number of dimensions, whether there are nulls, the type of the elements, and for the
        /// dimension its size and its lowest index.
        /// <https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/arrayfuncs.c>
        fileprivate func write(_ body: (_ header: [UInt8], _ elements: [UInt8]) -> Void) {
            var header: [UInt8] = []
            let words: [UInt32] =
                count == 0
                ? [0, 0, UInt32(type.rawValue)]
                : [1, hasNulls ? 1 : 0, UInt32(type.rawValue), UInt32(count), 1]
            for word in words { header.append(bigEndian: word) }
            body(header, bytes)
        }
    }

    extension [UInt8] {
        fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
        }
    }
#endif
