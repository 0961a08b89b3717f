#if Postgres
    import ChronicleCore
    import Foundation

    /// Reads the rows of a result that selected ``EntityTable/selection``.
    struct RowReader {
        let table: EntityTable
        let result: QueryResult

        /// Throws `SwiftDataError.newerSchemaVersion` if the result has other types than the table.
        init(table: EntityTable, result: QueryResult) throws {
            try table.requireTypes(of: result)
            (self.table, self.result) = (table, result)
        }

        /// The number of rows.
        var count: Int { result.count }

        /// Returns the identifier and the values of a row.
        ///
        /// - Throws: `SwiftDataError.undecodableValue` if the row belongs to an entity that the table does not include.
        func row(_ row: Int) throws -> (identifier: PersistentIdentifier, values: [PropertyValue]) {
            guard let kinds = table.kinds else {
                return (table.origin.identifier(result.int64(row, 0)), values(row))
            }
            let (member, columns) = try Self.member(kinds, of: table, result, row, kinds.column)
            let values = columns.indices.map { value(row, columns[$0], member.columns[$0]) }
            return (member.origin.identifier(result.int64(row, 0)), values)
        }

        private func values(_ row: Int) -> [PropertyValue] {
            var values: [PropertyValue] = []
            values.reserveCapacity(table.columns.count)
            for slot in table.columns.indices { values.append(value(row, slot + 1, table.columns[slot])) }
            return values
        }

        @inline(__always)
        private func value(_ row: Int, _ index: Int, _ column: EntityTable.Column) -> PropertyValue {
            Self.value(result, row, index, column)
        }

        /// Returns a value of the type of a column.
        @inline(__always)
        static func value(
            _ result: QueryResult, _ row: Int, _ index: Int, _ column: EntityTable.Column
        ) -> PropertyValue {
            let value = plainValue(result, row, index, column.type)
            guard let destination = column.destination, case .integer(let key) = value else { return value }
            return .reference(destination.identifier(key))
        }

        /// Returns a value as the column contains it.
        @inline(__always)
        static func plainValue(_ result: QueryResult, _ row: Int, _ index: Int, _ type: ColumnType) -> PropertyValue {
            let bytes = result.bytes(row, index)
            // An empty value has an address as well; NULL is tested only for values without bytes.
            if bytes.isEmpty, result.isNull(row, index) { return .null }
            switch type {
            case .integer: return .integer(result.int64(row, index))
            case .real: return .real(result.double(row, index))
            case .text: return .text(String(decoding: bytes, as: UTF8.self))
            case .blob: return .blob(Data(bytes))
            }
        }

        /// Returns the table of a row's entity, and the columns of its slots. A row of an entity that only other programs know
        /// is an instance of the root entity.
        ///
        /// - Parameter column: The column with the name of the entity.
        static func member(
            _ kinds: EntityTable.Kinds, of table: EntityTable, _ result: QueryResult, _ row: Int, _ column: Int
        ) throws -> (table: EntityTable, columns: [Int]) {
            let name = result.isNull(row, column) ? kinds.root : result.text(row, column)
            guard let member = kinds.members[name] ?? kinds.members[kinds.root] else {
                throw SwiftDataError.undecodableValue.with(
                    detail: "the row belongs to the entity \(name), which the schema does not contain; add its class",
                    entityName: table.entity.name, propertyName: Schema.entityAttribute,
                    persistentIdentifier: table.origin.identifier(result.int64(row, 0)))
            }
            return (member.table ?? table, member.columns)
        }
    }
#endif
