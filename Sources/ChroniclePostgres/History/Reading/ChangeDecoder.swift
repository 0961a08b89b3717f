#if Postgres
    import ChronicleCore

    /// Most changes have the same attributes as others of their entity, so what follows from these is kept.
    struct ChangeDecoder {
        /// The columns of the changes `c`.
        static let columns =
            "c.id, c.entity, c.kind, c.primary_key, c.attributes, c.preserved, c.old_values, c.new_values"
        static let nextColumn = 8

        private var catalog: HistoryCatalog
        /// See ``HistoryChangesRequest/returnsStoredValues``.
        private let returnsStoredValues: Bool
        private var entity: EntityHistory?
        private var names = Cache<[String]>()
        private var preserved = Cache<PreservedValues>()

        /// The index is that of the values in the arrays of a change.
        private struct Preserved {
            let index: Int
            let attribute: PreservedAttribute
        }

        /// What follows from the attributes with preserved values.
        private struct PreservedValues {
            let attributes: [Preserved]
            /// The last change of whose model these are all attributes; the others were added later.
            let completeThrough: Int64
        }

        init(_ catalog: HistoryCatalog, returnsStoredValues: Bool) {
            (self.catalog, self.returnsStoredValues) = (catalog, returnsStoredValues)
        }

        /// Reads the entities again after ``HistoryCatalog/Outdated``.
        mutating func reload(_ connection: Connection, for error: HistoryCatalog.Outdated) throws {
            try catalog.reload(connection, for: error)
            (entity, names, preserved) = (nil, Cache(), Cache())
        }

        /// Throws ``HistoryCatalog/Outdated`` if the entity or an attribute is unknown.
        mutating func change(_ result: QueryResult, _ row: Int, of header: HistoryHeader) throws -> HistoryChange {
            let entity = try entity(result.int64(row, 1))
            let change = ChangeRow(
                number: header.firstNumber + (result.int64(row, 0) - header.firstChange), transaction: header.position,
                model: entity.origin.identifier(result.int64(row, 3)))
            switch result.bytes(row, 2).first {
            case UInt8(ascii: "i"):
                var values = try values(result, row, entity, change)
                if let name = missingName(entity) {
                    values.append(PreservedValue(name: Schema.entityAttribute, previousValue: nil, value: name))
                }
                return entity.maker.insert(change, values, hasAllValues: try hasAllValues(result, row, entity))
            case UInt8(ascii: "u"):
                let names = try self.names.value(of: entity, result.bytes(row, 4)) { numbers in
                    try numbers.sorted().map { try entity.attribute($0).name }
                }
                return entity.maker.update(change, names, try values(result, row, entity, change))
            case UInt8(ascii: "d"):
                var (values, none) = try tombstone(result, row, entity, change)
                if let name = missingName(entity) { values.append((Schema.entityAttribute, name)) }
                return entity.maker.delete(
                    change, values, nil: none, hasAllValues: try hasAllValues(result, row, entity),
                    hasAllLinks: result.int64(row, 0) <= entity.listsAddedAfter)
            default: throw damaged("its kind is unknown", change)
            }
        }

        private mutating func entity(_ number: Int64) throws -> EntityHistory {
            if let entity, entity.number == number { return entity }
            let found = try catalog.entity(number)
            entity = found
            return found
        }

        // MARK: Preserved values

        /// The name of a class that the schema lacks, as a value of an insert or a delete.
        private func missingName(_ entity: EntityHistory) -> (any Sendable)? {
            guard let name = entity.missingName else { return nil }
            return returnsStoredValues ? PropertyValue.text(name) as any Sendable : name
        }

        private mutating func values(
            _ result: QueryResult, _ row: Int, _ entity: EntityHistory, _ change: ChangeRow
        ) throws -> [PreservedValue] {
            let numbers = result.bytes(row, 5)
            guard !numbers.isEmpty else { return [] }
            let old = try stored(result.bytes(row, 6), numbers, change)
            let new = try stored(result.bytes(row, 7), numbers, change)
            return try attributes(numbers, entity).compactMap { preserved in
                let attribute = preserved.attribute
                let (old, new) = (old?[preserved.index] ?? .null, new?[preserved.index] ?? .null)
                if attribute.isOmitted(old, new, isStored: returnsStoredValues) { return nil }
                return PreservedValue(
                    name: attribute.name,
                    previousValue: attribute.value(old, of: change.model, isStored: returnsStoredValues),
                    value: attribute.value(new, of: change.model, isStored: returnsStoredValues))
            }
        }

        private mutating func tombstone(
            _ result: QueryResult, _ row: Int, _ entity: EntityHistory, _ change: ChangeRow
        ) throws -> ([(name: String, value: any Sendable)], nil: [String]) {
            let numbers = result.bytes(row, 5)
            guard !numbers.isEmpty else { return ([], []) }
            let old = try stored(result.bytes(row, 6), numbers, change)
            let attributes = try attributes(numbers, entity)
            var values: [(name: String, value: any Sendable)] = []
            var none: [String] = []
            values.reserveCapacity(attributes.count)
            for preserved in attributes {
                let (attribute, old) = (preserved.attribute, old?[preserved.index] ?? .null)
                if attribute.isRecordedByOtherSide || attribute.isOmitted(old, isStored: returnsStoredValues) {
                    continue
                }
                if let value = attribute.value(old, of: change.model, isStored: returnsStoredValues) {
                    values.append((attribute.name, value))
                } else {
                    none.append(attribute.name)
                }
            }
            return (values, none)
        }

        private mutating func hasAllValues(
            _ result: QueryResult, _ row: Int, _ entity: EntityHistory
        ) throws -> Bool {
            let numbers = result.bytes(row, 5)
            return try !numbers.isEmpty && result.int64(row, 0) <= preserved(numbers, entity).completeThrough
        }

        /// Returns the attributes in the order of their numbers.
        private mutating func attributes(
            _ numbers: UnsafeRawBufferPointer, _ entity: EntityHistory
        ) throws -> [Preserved] {
            try preserved(numbers, entity).attributes
        }

        private mutating func preserved(
            _ numbers: UnsafeRawBufferPointer, _ entity: EntityHistory
        ) throws -> PreservedValues {
            try preserved.value(of: entity, numbers) { numbers in
                PreservedValues(
                    attributes: try numbers.enumerated().sorted { $0.element < $1.element }
                        .map { Preserved(index: $0.offset, attribute: try entity.attribute($0.element)) },
                    completeThrough: entity.attributesAddedAfter(except: Set(numbers)))
            }
        }

        /// `nil` for NULL: the change has no values of this kind.
        private func stored(
            _ texts: UnsafeRawBufferPointer, _ numbers: UnsafeRawBufferPointer, _ change: ChangeRow
        ) throws -> [PropertyValue]? {
            guard !texts.isEmpty else { return nil }
            var texts = try ArrayElements(texts)
            guard texts.count == (try ArrayElements(numbers)).count else {
                throw damaged("the numbers of its preserved values differ", change)
            }
            var values: [PropertyValue] = []
            values.reserveCapacity(texts.count)
            while texts.count > 0 {
                guard let text = try texts.next() else {
                    values.append(.null)
                    continue
                }
                guard let value = PreservedText.value(text) else {
                    throw damaged("a preserved value is invalid", change)
                }
                values.append(value)
            }
            return values
        }

        private func damaged(_ detail: String, _ change: ChangeRow) -> SwiftDataError {
            .damagedFile.with(
                detail:
                    "change \(change.number) of the history is damaged: \(detail); restore the tables from a backup",
                persistentIdentifier: change.model)
        }
    }

    extension ChangeDecoder {
        /// The cached values by the bytes of the array with the numbers of an entity's attributes.
        fileprivate struct Cache<Value> {
            private var values: [Key: Value] = [:]
            private var latest: (key: Key, value: Value)?

            private struct Key: Hashable {
                let entity: Int64
                let bytes: [UInt8]
            }

            mutating func value(
                of entity: EntityHistory, _ bytes: UnsafeRawBufferPointer, _ make: ([Int64]) throws -> Value
            ) throws -> Value {
                if let latest, latest.key.entity == entity.number, latest.key.bytes.elementsEqual(bytes) {
                    return latest.value
                }
                let key = Key(entity: entity.number, bytes: Array(bytes))
                let value: Value
                if let known = values[key] {
                    value = known
                } else {
                    var numbers = try ArrayElements(bytes)
                    value = try make(numbers.int64s())
                    values[key] = value
                }
                latest = (key, value)
                return value
            }
        }
    }
#endif
