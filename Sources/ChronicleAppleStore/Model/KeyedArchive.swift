import Foundation

/// Class names and fields of the objects, without creating instances.
struct KeyedArchive {
    struct Object {
        let number: Int
        let className: String
        let fields: [String: Int]
    }

    typealias Failure = BinaryPropertyList.Failure

    private let list: BinaryPropertyList
    /// The numbers of the objects in the list.
    private let objects: [Int]
    /// The number of the outermost object.
    let root: Int

    /// - Parameter budget: The work that all calls together may cause, see `BinaryPropertyList`.
    init(_ data: some Sequence<UInt8>, budget: Int = 1 << 26) throws {
        list = try BinaryPropertyList(data, budget: budget)
        let top = try Self.dictionary(list, list.top)
        guard let objectsNumber = top["$objects"], case .array(let objects) = try list.object(objectsNumber),
            let topNumber = top["$top"]
        else { throw Failure() }
        self.objects = objects
        let roots = try Self.dictionary(list, topNumber)
        guard let root = roots["root"] ?? roots.values.first, case .reference(let number) = try list.object(root) else {
            throw Failure()
        }
        self.root = number
    }

    private static func dictionary(_ list: BinaryPropertyList, _ number: Int) throws -> [String: Int] {
        guard case .dictionary(let pairs) = try list.object(number) else { throw Failure() }
        var result: [String: Int] = [:]
        for (key, value) in pairs {
            if case .text(let name) = try list.object(key) { result[name] = value }
        }
        return result
    }

    /// `nil` for `$null`.
    private func target(_ reference: Int) throws -> BinaryPropertyList.Object? {
        // The first object is `$null`.
        guard reference != 0 else { return nil }
        guard objects.indices.contains(reference) else { throw Failure() }
        return try list.object(objects[reference])
    }

    /// `nil` for a value without a class.
    func object(_ reference: Int) throws -> Object? {
        guard case .dictionary = try target(reference) else { return nil }
        let fields = try Self.dictionary(list, objects[reference])
        guard let number = fields["$class"], case .reference(let classReference) = try list.object(number),
            objects.indices.contains(classReference)
        else { return nil }
        let description = try Self.dictionary(list, objects[classReference])
        guard let name = description["$classname"], case .text(let className) = try list.object(name) else {
            throw Failure()
        }
        return Object(number: reference, className: className, fields: fields)
    }

    /// Values are in the archive's dictionary or references to it.
    func value(_ object: Object, _ field: String) throws -> BinaryPropertyList.Object? {
        guard let number = object.fields[field] else { return nil }
        let value = try list.object(number)
        if case .reference(let reference) = value { return try target(reference) }
        return value
    }

    func text(_ object: Object, _ field: String) throws -> String? {
        if case .text(let text) = try value(object, field) { text } else { nil }
    }

    func integer(_ object: Object, _ field: String) throws -> Int64? {
        switch try value(object, field) {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    func isTrue(_ object: Object, _ field: String) throws -> Bool { try integer(object, field) ?? 0 != 0 }

    func object(_ object: Object, _ field: String) throws -> Object? {
        guard let reference = try reference(object, field) else { return nil }
        return try self.object(reference)
    }

    private func reference(_ object: Object, _ field: String) throws -> Int? {
        guard let number = object.fields[field], case .reference(let reference) = try list.object(number) else {
            return nil
        }
        return reference
    }

    /// The elements of an array, a set, or a dictionary's values.
    func elements(_ object: Object) throws -> [Int] {
        // Not repeatedly, because an object may refer to itself.
        try references(try self.object(object, "values") ?? object)
    }

    private func references(_ object: Object) throws -> [Int] {
        guard let number = object.fields["NS.objects"], case .array(let numbers) = try list.object(number) else {
            return []
        }
        return try numbers.compactMap {
            if case .reference(let reference) = try list.object($0) { reference } else { nil }
        }
    }

    func keys(_ object: Object) throws -> [Int] {
        guard let number = object.fields["NS.keys"], case .array(let numbers) = try list.object(number) else {
            return []
        }
        return try numbers.compactMap {
            if case .reference(let reference) = try list.object($0) { reference } else { nil }
        }
    }

    /// A value without a class.
    func plain(_ reference: Int) throws -> BinaryPropertyList.Object? {
        let value = try target(reference)
        if case .dictionary = value { return nil }
        return value
    }

    /// The data is in the dictionary or an object.
    func data(_ object: Object, _ field: String) throws -> Data? {
        if case .data(let data) = try value(object, field) { data } else { nil }
    }

    func real(_ object: Object, _ field: String) throws -> Double? {
        if case .real(let value) = try value(object, field) { value } else { nil }
    }
}
