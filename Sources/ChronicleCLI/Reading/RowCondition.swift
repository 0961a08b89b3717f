import Chronicle
import Foundation

/// The condition of `at --where`: comparisons that must all be true.
///
///     condition  = comparison { "and" comparison }
///     comparison = name operator value
///     name       = word | "text"
///     operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains"
///     value      = "text" | number | true | false | nil | date | Entity/key
struct RowCondition {
    private enum Operator: String, CaseIterable {
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case equal = "="
        case less = "<"
        case greater = ">"
        case contains
    }

    private enum Value: Equatable {
        case null, bool(Bool), number(Double), integer(Int64), decimal(Decimal), text(String), date(Date)
        /// A number in a condition, which is compared with a `Double` as a `Double`.
        case literal(Double, exact: Decimal)
        case uuid(UUID)
        case model(PersistentIdentifier)

        /// `nil` if the value is no number or not finite.
        var decimal: Decimal? {
            switch self {
            case .integer(let value): Decimal(value)
            case .number(let value): value.isFinite ? Decimal(string: "\(value)") : nil
            case .decimal(let value): value.isFinite ? value : nil
            case .literal(_, let value): value
            case .null, .bool, .text, .date, .uuid, .model: nil
            }
        }
    }

    private struct Comparison {
        /// `nil` for a primary key that is not among the values of the row.
        let name: String?
        let operation: Operator
        let value: Value
    }

    private var comparisons: [Comparison] = []

    /// The ``UsageError`` names the part that cannot be read.
    init(_ text: String, _ entity: Schema.Entity, _ file: StoreFile, _ settings: Console.Settings) throws {
        var words = try Self.words(text)[...]
        let keyNames = try Self.keyNames(entity, file)
        repeat {
            guard let word = words.popFirst(), let symbol = words.popFirst(), let value = words.popFirst() else {
                throw UsageError("--where requires NAME OPERATOR VALUE, such as name = \"Oslo\"")
            }
            let name = word.hasPrefix("\"") ? String(word.dropFirst()) : word
            let isProperty = entity.propertiesByName[name]?.isStored == true
            guard isProperty || keyNames.contains(name) else {
                throw UsageError(Self.unknownName(name, entity, file, keyNames))
            }
            guard let operation = Operator(rawValue: symbol == "==" ? "=" : symbol) else {
                throw UsageError(
                    "\(symbol.escaped) is not an operator; use one of "
                        + Operator.allCases.map(\.rawValue).joined(separator: " "))
            }
            comparisons.append(
                Comparison(
                    name: isProperty ? name : nil, operation: operation, value: try Self.value(value, file, settings)))
            guard let conjunction = words.popFirst() else { break }
            guard conjunction.lowercased() == "and" else {
                throw UsageError("\(conjunction.escaped) is not \"and\"; --where supports no other combinations")
            }
        } while true
    }

    /// The names of a primary key that is not among the stored properties.
    private static func keyNames(_ entity: Schema.Entity, _ file: StoreFile) throws -> Set<String> {
        guard file.store.primaryKeyColumns(ofEntity: entity.name) == nil else { return [] }
        let column = try (file.store as? any ToolStore)?.rowIDColumns()[entity.name]
        return Set([column, "id"].compactMap(\.self))
    }

    private static func unknownName(
        _ name: String, _ entity: Schema.Entity, _ file: StoreFile, _ keyNames: Set<String>
    ) -> String {
        let text = "\(entity.name.escaped) has no stored property \(name.escaped)"
        if name == "id", let columns = file.store.primaryKeyColumns(ofEntity: entity.name) {
            return text + "; its primary key is \(columns.map(\.escaped).joined(separator: ", "))"
        }
        let nearest = NearestName.nearest(to: name, in: entity.storedProperties.map(\.name) + keyNames.sorted())
        return text + (nearest.map { "; did you mean \($0.escaped)?" } ?? "")
    }

    /// The model that the condition names by its primary key, if any.
    func identifier(_ entity: Schema.Entity, _ file: StoreFile) throws -> PersistentIdentifier? {
        if let columns = file.store.primaryKeyColumns(ofEntity: entity.name) {
            return try identifier(entity, columns, file)
        }
        for comparison in comparisons where comparison.name == nil && comparison.operation == .equal {
            guard case .integer(let key) = comparison.value else { continue }
            return try file.store.identifier(ofEntity: entity.name, primaryKey: [.integer(key)])
        }
        return nil
    }

    /// Keys that the collation considers equal have the same identifier. Types of PostgreSQL reject other texts.
    private func identifier(
        _ entity: Schema.Entity, _ keyColumns: [String], _ file: StoreFile
    ) throws -> PersistentIdentifier? {
        guard file.store is DefaultStore else { return nil }
        var key: [PropertyValue] = []
        for column in keyColumns {
            let comparison = comparisons.first { comparison in
                guard comparison.name == column, comparison.operation == .equal else { return false }
                switch comparison.value {
                case .text, .integer: return true
                default: return false
                }
            }
            switch comparison?.value {
            case .text(let text): key.append(.text(text))
            case .integer(let number): key.append(.integer(number))
            default: return nil
            }
        }
        return try file.store.identifier(ofEntity: entity.name, primaryKey: key)
    }

    /// Throws ``SwiftDataError/historyValueMissing`` if the result depends on a value that the history does not contain.
    func matches(_ row: DefaultSnapshot, missing: Set<String>, _ file: StoreFile) throws -> Bool {
        let identifier = row.persistentIdentifier
        let entity = try file.entity(named: identifier.entityName)
        var unknown: String?
        for comparison in comparisons {
            let value: Value
            if comparison.name == nil {
                value = identifier.integerPrimaryKey.map(Value.integer) ?? .null
            } else {
                guard let property = comparison.name.flatMap(entity.property(named:)) else { return false }
                if missing.contains(property.name) {
                    unknown = unknown ?? property.name
                    continue
                }
                value = Self.value(file.value(of: property, in: row))
            }
            if !Self.compare(value, comparison) { return false }
        }
        guard let unknown else { return true }
        throw SwiftDataError.historyValueMissing.with(
            detail:
                "the history does not contain the value at this position, so --where cannot compare it; use a later "
                + "position, or another condition",
            entityName: identifier.entityName, propertyName: unknown, persistentIdentifier: identifier)
    }

    // MARK: Comparing

    private static func compare(_ value: Value, _ comparison: Comparison) -> Bool {
        let order = order(value, comparison.value)
        switch comparison.operation {
        case .equal: return order == .orderedSame
        case .notEqual: return order != .orderedSame
        case .less: return order == .orderedAscending
        case .lessOrEqual: return order == .orderedAscending || order == .orderedSame
        case .greater: return order == .orderedDescending
        case .greaterOrEqual: return order == .orderedDescending || order == .orderedSame
        case .contains:
            guard case .text(let part) = comparison.value else { return false }
            switch value {
            case .text(let text): return part.isEmpty || Data(text.utf8).range(of: Data(part.utf8)) != nil
            case .uuid(let uuid): return uuid.uuidString.contains(part.uppercased())
            default: return false
            }
        }
    }

    /// `nil` if the values cannot be compared.
    private static func order(_ a: Value, _ b: Value) -> ComparisonResult? {
        func compare<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult? {
            a < b ? .orderedAscending : b < a ? .orderedDescending : a == b ? .orderedSame : nil
        }
        // As in predicates.
        func compareBytes(_ a: String, _ b: String) -> ComparisonResult {
            a.utf8.lexicographicallyPrecedes(b.utf8)
                ? .orderedAscending : b.utf8.lexicographicallyPrecedes(a.utf8) ? .orderedDescending : .orderedSame
        }
        switch (a, b) {
        case (.null, .null): return .orderedSame
        case (.bool(let a), .bool(let b)): return a == b ? .orderedSame : nil
        case (.integer(let a), .integer(let b)): return compare(a, b)
        case (.integer(let a), .number(let b)): return compare(Double(a), b)
        case (.number(let a), .integer(let b)): return compare(a, Double(b))
        case (.number(let a), .number(let b)), (.number(let a), .literal(let b, _)): return compare(a, b)
        case (.decimal, _), (_, .decimal), (.integer, .literal):
            guard let a = a.decimal, let b = b.decimal else { return nil }
            return compare(a, b)
        case (.text(let a), .text(let b)): return compareBytes(a, b)
        case (.uuid(let a), .text(let b)): return compareBytes(a.uuidString, b.uppercased())
        case (.date(let a), .date(let b)): return compare(a, b)
        case (.model(let a), .model(let b)): return a == b ? .orderedSame : nil
        default: return nil
        }
    }

    private static func value(_ value: (any Sendable)?) -> Value {
        switch value {
        case nil: .null
        case let value as Bool: .bool(value)
        case let value as String: .text(value)
        case let value as Date: .date(value)
        case let value as Double: .number(value)
        // The number that is printed.
        case let value as Float: .number(Double(value.description) ?? Double(value))
        case let value as UUID: .uuid(value)
        case let value as PersistentIdentifier: .model(value)
        case let value as UndecodableValue: Self.value(value.storedValue.plainValue)
        case let value as Decimal: .decimal(value)
        case let value as any BinaryInteger:
            Int64(exactly: value).map(Value.integer) ?? Decimal(string: "\(value)").map(Value.decimal)
                ?? .text("\(value)")
        case let value?: .text("\(value)")
        }
    }

    // MARK: Reading

    private static func value(_ word: String, _ file: StoreFile, _ settings: Console.Settings) throws -> Value {
        if word.hasPrefix("\"") { return .text(String(word.dropFirst())) }
        switch word {
        case "nil", "null", "NULL": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let integer = Int64(word) { return .integer(integer) }
        if let number = Double(word) {
            // More digits than those of a `Double`.
            if let exact = decimal(word) { return .literal(number, exact: exact) }
            return .number(number)
        }
        if let date = Position.date(word, settings) { return .date(date) }
        if word.contains("/") { return .model(try file.identifier(word)) }
        throw UsageError("\(word.escaped) is not a value; text requires quotation marks")
    }

    /// `nil` if the number has an exponent, or more digits than a `Decimal`.
    private static func decimal(_ word: String) -> Decimal? {
        guard word.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil else { return nil }
        return word.utf8.count(where: { (48...57).contains($0) }) <= 38 ? Decimal(string: word) : nil
    }

    /// A text begins with a quotation mark, and does not end with one.
    private static func words(_ text: String) throws -> [String] {
        var words: [String] = []
        var rest = text[...]
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "\"" || first == "'" {
                words.append("\"" + (try quoted(&rest)))
            } else if "=!<>".contains(first) {
                let symbol = rest.prefix { "=!<>".contains($0) }
                words.append(String(symbol))
                rest = rest.dropFirst(symbol.count)
            } else {
                let word = rest.prefix { !$0.isWhitespace && !"=!<>\"'".contains($0) }
                words.append(String(word))
                rest = rest.dropFirst(word.count)
            }
        }
        return words
    }

    private static func quoted(_ rest: inout Substring) throws -> String {
        let mark = rest.removeFirst()
        var text = ""
        while let character = rest.popFirst() {
            if character == mark {
                // As in SQL, two quotation marks in a text represent one.
                guard rest.first == mark else { return text }
                rest.removeFirst()
                text.append(mark)
                continue
            }
            if character == "\\", let next = rest.popFirst() {
                text.append(next == "n" ? "\n" : next == "t" ? "\t" : next)
            } else {
                text.append(character)
            }
        }
        throw UsageError("a text in --where has no closing quotation mark")
    }
}
