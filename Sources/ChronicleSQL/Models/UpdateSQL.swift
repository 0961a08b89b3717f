import ChronicleCore

struct UpdateSQL {
    private let entity: Schema.Entity
    private let schema: Schema
    private let storeIdentifier: String
    private let dialect: any SQLDialect

    init(_ entity: Schema.Entity, _ schema: Schema, storeIdentifier: String, dialect: any SQLDialect) {
        (self.entity, self.schema, self.storeIdentifier) = (entity, schema, storeIdentifier)
        self.dialect = dialect
    }

    /// Returns `"rating" = …, "note" = …`.
    func assignments(_ values: [DataStoreBatchValue]) throws -> SQLQuery {
        try zip(values, expressions(values)).map { value, expression -> SQLQuery in
            "\(raw: dialect.quoted(value.property.name)) = \(expression)"
        }.joined(", ")
    }

    /// Throws `DataStoreError.preferInMemoryFilter` if a value has no SQL equivalent, or requires the rows of other tables,
    /// which an UPDATE cannot join.
    func expressions(_ values: [DataStoreBatchValue]) throws -> [SQLQuery] {
        let source = ModelSource(
            entity, schema, storeIdentifier: storeIdentifier, dialect: dialect, tables: ModelTables())
        let table = source.tables(of: .subject)
        var translator = PredicateSQL(source: source)
        do {
            let expressions = try values.map { try sql($0, &translator) }
            guard translator.source.tables(of: .subject) == table else { throw DataStoreError.preferInMemoryFilter }
            return expressions
        } catch let error as SwiftDataError where SwiftDataError.unsupportedPredicate ~= error {
            throw DataStoreError.preferInMemoryFilter
        }
    }

    private func sql(_ value: DataStoreBatchValue, _ translator: inout PredicateSQL<ModelSource>) throws -> SQLQuery {
        switch value.value {
        case .constant(let constant): return "\(value: constant)"
        case .path: return try translator.operand(value.value).sql
        default:
            let operand = dialect.storable(try translator.operand(value.value))
            if let range = value.property.integerRange, operand.type == .integer, !operand.isOptional {
                return dialect.checked(operand, range, of: value.property.name)
            }
            // The context throws an error for the rows in which the value is undefined.
            if value.value.mayBeUndefined { throw DataStoreError.preferInMemoryFilter }
            return operand.sql
        }
    }
}

extension Schema.Property {
    fileprivate var integerRange: ClosedRange<Int64>? {
        func range<Integer: FixedWidthInteger>(_ type: Integer.Type) -> ClosedRange<Int64> {
            Int64(clamping: Integer.min)...Int64(clamping: Integer.max)
        }
        return (unwrappedValueType as? any FixedWidthInteger.Type).map { range($0) }
    }
}
