#if Postgres
    import ChronicleCore
    import Foundation

    /// A letter for the type, and the value as text: independent of the type of the column, which a migration can change,
    /// and of the settings of a session.
    enum PreservedText {
        /// `type` is the name of the column's type on the server. The text is NULL for NULL.
        static func expression(_ value: String, type: String) -> String {
            switch type {
            case "bigint": "'i' || \(value)"
            case "double precision": "\(realPrefix)\(value)"
            case "bytea": "'x' || encode(\(value), 'hex')"
            default: "'t' || \(value)"
            }
        }

        private static let realPrefix = "'r' || "

        /// The settings of a function that contains ``expression(_:type:)``. Each costs time at every call.
        static func settings(for body: String) -> [String] {
            // The shortest text from which the same number is read.
            body.contains(realPrefix) ? ["extra_float_digits = 1"] : []
        }

        /// `nil` if no trigger writes such a text.
        static func value(_ text: UnsafeRawBufferPointer) -> PropertyValue? {
            let rest = UnsafeRawBufferPointer(rebasing: text.dropFirst())
            switch text.first {
            case UInt8(ascii: "i"): return Int64(String(decoding: rest, as: UTF8.self)).map { .integer($0) }
            case UInt8(ascii: "r"): return Double(String(decoding: rest, as: UTF8.self)).map { .real($0) }
            case UInt8(ascii: "t"): return .text(String(decoding: rest, as: UTF8.self))
            case UInt8(ascii: "x"): return Data(hexadecimal: rest).map { .blob($0) }
            default: return nil
            }
        }
    }

    extension Data {
        /// `nil` if there are other characters than hexadecimal digits.
        init?(hexadecimal digits: UnsafeRawBufferPointer) {
            func value(_ digit: UInt8) -> UInt8? { Character(UnicodeScalar(digit)).hexDigitValue.map { UInt8($0) } }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            var high: UInt8?
            for digit in digits {
                guard let value = value(digit) else { return nil }
                if let first = high {
                    bytes.append(first << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
            guard high == nil else { return nil }
            self.init(bytes)
        }
    }
#endif
