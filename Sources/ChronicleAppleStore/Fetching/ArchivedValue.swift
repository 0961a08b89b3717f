import Foundation

/// Converts a keyed archive or a property list, such as that of an array of texts, to JSON.
enum ArchivedValue {
    private static let maximumDepth = 64
    private static let maximumCount = 1_000_000

    /// `nil` if the value has another form.
    static func json(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.starts(with: Array("bplist".utf8)) else {
            // Data that is JSON itself.
            guard let first = bytes.first, [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(first)
            else {
                return nil
            }
            return String(validating: bytes, as: UTF8.self)
        }
        var count = 0
        do {
            let value: Any
            // A property list that is no archive is a value itself.
            if let archive = try? KeyedArchive(bytes) {
                value = try convert(archive, archive.root, 0, &count)
            } else {
                let list = try BinaryPropertyList(bytes)
                value = try convert(list, list.top, 0, &count)
            }
            let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
            return String(decoding: data, as: UTF8.self)
        } catch { return nil }
    }

    private static func check(_ depth: Int, _ count: inout Int) throws {
        count += 1
        guard depth < maximumDepth, count < maximumCount else { throw BinaryPropertyList.Failure() }
    }

    private static func plain(_ object: BinaryPropertyList.Object?) throws -> Any {
        switch object {
        case nil, .null?: return NSNull()
        case .bool(let value)?: return value
        case .integer(let value)?: return value
        case .real(let value)?, .date(let value)?:
            guard value.isFinite else { throw BinaryPropertyList.Failure() }
            return value
        case .data(let data)?: return data.base64EncodedString()
        case .text(let text)?: return text
        case .reference, .array, .dictionary: throw BinaryPropertyList.Failure()
        }
    }

    private static func convert(_ list: BinaryPropertyList, _ number: Int, _ depth: Int, _ count: inout Int) throws
        -> Any
    {
        try check(depth, &count)
        switch try list.object(number) {
        case .array(let numbers): return try numbers.map { try convert(list, $0, depth + 1, &count) }
        case .dictionary(let pairs):
            var result: [String: Any] = [:]
            for (key, value) in pairs {
                guard case .text(let name) = try list.object(key) else { throw BinaryPropertyList.Failure() }
                result[name] = try convert(list, value, depth + 1, &count)
            }
            return result
        case let object: return try plain(object)
        }
    }

    private static func convert(_ archive: KeyedArchive, _ reference: Int, _ depth: Int, _ count: inout Int) throws
        -> Any
    {
        try check(depth, &count)
        guard let object = try archive.object(reference) else { return try plain(archive.plain(reference)) }
        switch object.className {
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet":
            return try archive.elements(object).map { try convert(archive, $0, depth + 1, &count) }
        case "NSDictionary", "NSMutableDictionary":
            var result: [String: Any] = [:]
            for (key, value) in zip(try archive.keys(object), try archive.elements(object)) {
                guard case .text(let name) = try archive.plain(key) else { throw BinaryPropertyList.Failure() }
                result[name] = try convert(archive, value, depth + 1, &count)
            }
            return result
        case "NSString", "NSMutableString":
            guard let text = try archive.text(object, "NS.string") else { throw BinaryPropertyList.Failure() }
            return text
        case "NSDate":
            guard let seconds = try archive.real(object, "NS.time"), seconds.isFinite else {
                throw BinaryPropertyList.Failure()
            }
            return seconds
        case "NSUUID":
            guard let data = try archive.data(object, "NS.uuidbytes"), data.count == 16 else {
                throw BinaryPropertyList.Failure()
            }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
        case "NSData", "NSMutableData":
            guard let data = try archive.data(object, "NS.data") else { throw BinaryPropertyList.Failure() }
            return data.base64EncodedString()
        default: throw BinaryPropertyList.Failure()
        }
    }
}
