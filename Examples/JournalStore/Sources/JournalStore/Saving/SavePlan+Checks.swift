import Chronicle

extension SavePlan {
    /// Throws an error if a new reference points to a row that does not exist after the save.
    func checkReferences(_ tables: Tables) throws {
        for new in inserted where !tables.layout(new.table).references.isEmpty {
            for (index, values) in new.rows.enumerated() {
                try checkReferences(Row(table: new.table, key: new.firstKey + Int64(index)), values, tables)
            }
        }
        for (row, values) in updated where !gone.contains(row) { try checkReferences(row, values, tables) }
    }

    private func checkReferences(_ row: Row, _ values: [PropertyValue], _ tables: Tables) throws {
        let layout = tables.layout(row.table)
        for reference in layout.references where reference.rule != .noAction {
            guard let key = values[reference.column].key, let destination = tables.known(reference.destination) else {
                continue
            }
            let target = Row(table: destination, key: key)
            let isNew = key > tables[destination].lastKey && key <= lastKeys[destination]
            guard !isNew, self.values(target, tables) == nil else { continue }
            // A reference that was already broken is not an error of this save.
            if tables[row.table].rows[row.key]?[reference.column].key == key { continue }
            throw SwiftDataError.modelValidationFailure.with(
                detail: "it references a model that another writer deleted", entityName: layout.name,
                propertyName: tables[row.table].columns[reference.column],
                persistentIdentifier: layout.origin.identifier(row.key))
        }
    }

    /// Throws an error if two rows have the same unique values after the save, which may free values that it uses.
    func checkUniqueness(_ tables: Tables) throws {
        for table in tables.indices {
            for constraint in tables.layout(table).constraints.indices {
                var claimed = Set<[PropertyValue]>()
                for new in inserted where new.table == table {
                    for values in new.rows { try claim(constraint, of: values, table, nil, &claimed, tables) }
                }
                for (row, values) in updated where row.table == table && !gone.contains(row) {
                    try claim(constraint, of: values, table, row.key, &claimed, tables)
                }
            }
        }
    }

    private func claim(
        _ constraint: Int, of values: [PropertyValue], _ table: Int, _ key: Int64?,
        _ claimed: inout Set<[PropertyValue]>, _ tables: Tables
    ) throws {
        let layout = tables.layout(table)
        guard let unique = layout.values(constraint, of: values) else { return }
        var isFree = claimed.insert(unique).inserted
        // The save may delete or change the row that has the values now.
        if let holder = tables[table].holder(constraint, of: unique), holder != key,
            let last = self.values(Row(table: table, key: holder), tables),
            layout.values(constraint, of: last) == unique
        {
            isFree = false
        }
        guard isFree else {
            throw SwiftDataError.uniquenessViolation.with(
                detail: layout.constraints[constraint].map { layout.properties[$0].name }.joined(separator: ", "),
                entityName: layout.name)
        }
    }
}
