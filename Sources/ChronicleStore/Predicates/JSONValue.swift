import ChronicleCore
import ChronicleSQLite

/// A value in the JSON of an attribute.
struct JSONValue {
    /// The value in the form of an attribute; for ``JSONForm/json``, its JSON text.
    private let value: SQLOperand
    private let form: JSONForm

    init(_ value: SQLOperand, _ form: JSONForm) { (self.value, self.form) = (value, form) }

    /// Returns the value of a member of a member, or the value itself without members.
    ///
    /// The SQL for texts, integers and Booleans is `json_extract(column, path)`, which an index may contain.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a value is not an object.
    func operand(_ members: [CodableMember]) throws -> SQLOperand {
        guard let last = members.last else { return value }
        guard form == .json else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "\(last.name) is not a member of a value that is stored as JSON", propertyName: last.name)
        }
        var object = value.sql
        var path = "$"
        for member in members {
            path += ".\"\(member.key)\""
            guard let missing = member.missingValue else { continue }
            // An object that was encoded before its type had the member, which a nil object does not have either.
            let found = Self.extract(object, path, member.form)
            object = "iif(\(object) IS NULL, NULL, ifnull(\(found), \(value: missing)))"
            path = "$"
        }
        var operand = SQLOperand(
            sql: path == "$" ? object : Self.extract(object, path, last.form), storageClass: last.form.storageClass)
        operand.isOptional = value.isOptional || members.contains { $0.isOptional }
        operand.nan = operand.storageClass == .real ? .blob : .none
        return operand
    }

    private static func extract(_ object: SQLQuery, _ path: String, _ form: JSONForm) -> SQLQuery {
        // Text instead of a parameter, because an index is only used for the same expression.
        let path = "'\(path.replacing("'", with: "''"))'"
        if PredicateFunctions.isExact(form) { return "json_extract(\(object), \(raw: path))" }
        return PredicateFunctions.json("\(object) -> \(raw: path)", form)
    }
}

/// The elements of a JSON array.
struct JSONElements {
    /// The JSON text of the array.
    let array: SQLQuery
    let form: JSONForm
    let isOptional: Bool
    let alias: String

    var table: SQLQuery {
        let array = hasText ? PredicateFunctions.elements(array) : array
        return "json_each(\(array)) AS \(raw: alias)"
    }

    /// Whether the JSON of an element has to be read as text.
    private var hasText: Bool { !PredicateFunctions.isExact(form) }

    var element: JSONValue {
        let value: SQLQuery = "\(raw: alias).value"
        var operand = SQLOperand(
            sql: hasText ? PredicateFunctions.json(value, form) : value, storageClass: form.storageClass)
        operand.isOptional = isOptional
        operand.nan = operand.storageClass == .real ? .blob : .none
        return JSONValue(operand, form)
    }
}

extension JSONForm {
    fileprivate var storageClass: StorageClass {
        switch self {
        case .text, .decimal, .json: .text
        case .integer: .integer
        case .real, .float: .real
        case .uuid, .data: .blob
        }
    }
}

extension PredicateTree<ModelProperty>.Path {
    /// The members at the end of the path.
    var members: [CodableMember] {
        guard case .member = properties.last else { return [] }
        return properties.reversed().prefix { if case .member = $0 { true } else { false } }.reversed().compactMap {
            if case .member(let member) = $0 { member } else { nil }
        }
    }
}
