import Chronicle

extension SavePlan {
    /// Makes sure that new references lead to rows that are there after the save.
    func checkReferences(_ tables: Tables) throws {
        for (row, values) in inserted { try checkReferences(row, values, tables) }
        for (row, values) in updated where !gone.contains(row) { try checkReferences(row, values, tables) }
    }

    private func checkReferences(_ row: Row, _ values: [PropertyValue], _ tables: Tables) throws {
        let table = tables[row.table]
        for reference in table.references where reference.rule != .noAction {
            guard let key = values[reference.column].key, let destination = tables.known(reference.destination) else {
                continue
            }
            let target = Row(table: destination, key: key)
            let isNew = key > tables[destination].lastKey && key <= lastKeys[destination]
            guard !isNew, self.values(target, tables) == nil else { continue }
            // What led nowhere before is not this save's fault.
            if let old = table.rows[row.key], old[reference.column].key == key, !gone.contains(target) { continue }
            throw SwiftDataError.modelValidationFailure.adding(
                detail: "it leads to a model that another writer deleted", entityName: table.name,
                propertyName: table.columns[reference.column], persistentIdentifier: table.origin.identifier(row.key))
        }
    }

    /// Makes sure that no two rows have the same unique values after the save, which may free values that it takes.
    func checkUniqueness(_ tables: Tables) throws {
        var claims: [[Set<[PropertyValue]>]] = tables.indices.map { tables[$0].constraints.map { _ in [] } }
        for (row, values) in inserted { try checkUniqueness(row, values, &claims, tables) }
        for (row, values) in updated where !gone.contains(row) { try checkUniqueness(row, values, &claims, tables) }
    }

    private func checkUniqueness(
        _ row: Row, _ values: [PropertyValue], _ claims: inout [[Set<[PropertyValue]>]], _ tables: Tables
    ) throws {
        let constraints = tables[row.table].constraints
        if constraints.isEmpty { return }
        for number in constraints.indices {
            guard let unique = tables[row.table].values(number, of: values) else { continue }
            var isFree = claims[row.table][number].insert(unique).inserted
            if let key = tables[row.table].holder(number, of: unique), key != row.key {
                let holder = Row(table: row.table, key: key)
                // The holder may be about to lose them.
                if let last = self.values(holder, tables), tables[row.table].values(number, of: last) == unique {
                    isFree = false
                }
            }
            guard isFree else {
                throw SwiftDataError.uniquenessViolation.adding(
                    detail: constraints[number].map { tables[row.table].columns[$0] }.joined(separator: ", "),
                    entityName: tables[row.table].name)
            }
        }
    }
}
