import Foundation

/// A value of a binary property list.
package indirect enum PropertyListValue: Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case data([UInt8])
    case reference(Int)
    case array([PropertyListValue])
    case dictionary([(String, PropertyListValue)])
}

/// Writes binary property lists with the references of keyed archives, which Foundation does not write on all platforms.
package struct PropertyListWriter {
    private var objects: [[UInt8]] = []

    /// Returns the bytes of a list.
    package static func bytes(_ value: PropertyListValue) -> [UInt8] {
        var writer = PropertyListWriter()
        let top = writer.add(value)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in writer.objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += bigEndian(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 4]
        return bytes + bigEndian(offsets.count, 8) + bigEndian(top, 8) + bigEndian(table, 8)
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        let bytes: [UInt8] =
            switch value {
            case .bool(let value): [value ? 9 : 8]
            case .integer(let value): [0x13] + Self.bigEndian(Int(value), 8)
            case .real(let value): [0x23] + Self.bigEndian(Int(bitPattern: UInt(value.bitPattern)), 8)
            case .text(let text):
                text.utf8.allSatisfy { $0 < 0x80 }
                    ? Self.head(5, text.utf8.count) + Array(text.utf8)
                    : Self.head(6, text.utf16.count) + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            case .data(let data): Self.head(4, data.count) + data
            case .reference(let number): [0x83] + Self.bigEndian(number, 4)
            case .array(let elements): Self.head(10, elements.count) + references(elements)
            case .dictionary(let pairs):
                Self.head(13, pairs.count) + references(pairs.map { .text($0.0) }) + references(pairs.map(\.1))
            }
        objects.append(bytes)
        return objects.count - 1
    }

    private mutating func references(_ elements: [PropertyListValue]) -> [UInt8] {
        elements.flatMap { Self.bigEndian(add($0), 4) }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + bigEndian(count, 4)
    }

    private static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> ((size - 1 - $0) * 8)) }
    }
}

/// Writes keyed archives of objects, each with the name of its class and its fields.
package struct KeyedArchiveWriter {
    private var objects: [PropertyListValue] = [.text("$null")]

    package init() {}

    /// Reserves the number of an object that others refer to before it is written.
    package mutating func reserve() -> PropertyListValue {
        objects.append(.text("$null"))
        return .reference(objects.count - 1)
    }

    /// Adds a value without a class.
    package mutating func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .reference(objects.count - 1)
    }

    /// Writes an object.
    @discardableResult
    package mutating func add(
        _ className: String, _ fields: [(String, PropertyListValue)], at reserved: PropertyListValue? = nil
    ) -> PropertyListValue {
        let description = add(
            .dictionary([("$classname", .text(className)), ("$classes", .array([.text(className)]))]))
        let object = PropertyListValue.dictionary(fields + [("$class", description)])
        guard case .reference(let number)? = reserved else { return add(object) }
        objects[number] = object
        return .reference(number)
    }

    package mutating func array(_ elements: [PropertyListValue]) -> PropertyListValue {
        add("NSArray", [("NS.objects", .array(elements))])
    }

    package mutating func dictionary(_ pairs: [(String, PropertyListValue)]) -> PropertyListValue {
        let keys = pairs.map { add(.text($0.0)) }
        return add("NSDictionary", [("NS.keys", .array(keys)), ("NS.objects", .array(pairs.map(\.1)))])
    }

    /// Returns the bytes of the archive. Add the root before, because the objects are those that exist when the call begins.
    package func bytes(root: PropertyListValue) -> [UInt8] {
        PropertyListWriter.bytes(
            .dictionary([
                ("$archiver", .text("NSKeyedArchiver")), ("$version", .integer(100_000)),
                ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
            ]))
    }
}

/// Writes raw deflate streams without compression.
package enum StoredDeflate {
    package static func bytes(_ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = content[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            result += [
                rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
            ]
            result += block
        } while !rest.isEmpty
        return result
    }
}
