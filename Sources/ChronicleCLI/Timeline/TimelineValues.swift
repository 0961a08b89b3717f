import Chronicle
import Foundation

/// The JSON forms of values in the page.
///
/// | value | JSON |
/// | --- | --- |
/// | none | `null` |
/// | Boolean, number, text | the same; numbers that JavaScript cannot represent are texts |
/// | text of more than ``maximumLength`` scalars | `{"text": "its beginning", "length": 1234}` |
/// | date | `{"date": milliseconds since 1970}` |
/// | data | `{"bytes": 1234}` |
/// | reference | `{"model": "Trip/7"}` |
/// | before an added, or after a removed link | `{"none": 1}` |
/// | not preserved | `{"missing": 1}` |
enum TimelineValues {
    /// The length in Unicode scalars to which texts are shortened.
    static let maximumLength = 250

    private static let exactIntegers = -(1 << 53)...(1 << 53)

    static func append(_ value: (any Sendable)?, isLink: Bool = false, to json: inout JSONBytes) {
        switch value {
        case nil: isLink ? json.append(raw: #"{"none":1}"#) : json.append(raw: "null")
        case let value as String: append(value, to: &json)
        case let value as Bool: value ? json.append(raw: "true") : json.append(raw: "false")
        case let value as Int: append(value, to: &json)
        case let value as Int64: append(Int(value), to: &json)
        case let value as Double: json.append(value)
        case let value as Date:
            json.append(raw: #"{"date":"#)
            json.append(milliseconds(value))
            json.append(raw: "}")
        case let value as Data:
            json.append(raw: #"{"bytes":"#)
            json.append(value.count)
            json.append(raw: "}")
        case let value as PersistentIdentifier:
            json.append(raw: #"{"model":"#)
            json.append(value.description)
            json.append(raw: "}")
        case let value as UndecodableValue: append(value.storedValue.plainValue, to: &json)
        case let value as PropertyValue: append(value.plainValue, to: &json)
        case let value as any FixedWidthInteger:
            if let number = Int(exactly: value) { append(number, to: &json) } else { json.append("\(value)") }
        case let value as Float: json.append(Double(value))
        case let value?: append("\(value)", to: &json)
        }
    }

    private static func append(_ number: Int, to json: inout JSONBytes) {
        if exactIntegers.contains(number) { json.append(number) } else { json.append(String(number)) }
    }

    private static func append(_ text: String, to json: inout JSONBytes) {
        guard let (text, length) = shortened(text) else { return json.append(text) }
        json.append(raw: #"{"text":"#)
        json.append(text)
        json.append(raw: #","length":"#)
        json.append(length)
        json.append(raw: "}")
    }

    /// Also returns the number of scalars; `nil` if the text is short enough.
    static func shortened(_ text: String) -> (text: String, length: Int)? {
        guard text.utf8.count > maximumLength else { return nil }
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: maximumLength, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return nil }
        return (String(scalars[..<end]), scalars.count)
    }

    /// JavaScript's dates are within 100,000,000 days of 1970. A file can contain any number.
    static func milliseconds(_ date: Date) -> Int64 {
        let limit = 8.64e15
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -limit), limit))
    }
}
