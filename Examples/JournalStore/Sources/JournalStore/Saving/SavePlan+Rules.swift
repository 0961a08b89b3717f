import Chronicle

extension SavePlan {
    /// Applies delete rules to the rows that refer to deleted ones, including rows that no context has loaded. This may
    /// delete more rows, which are added at the end of the list.
    mutating func applyRules(_ tables: Tables) throws {
        var next = 0
        while next < deleted.count {
            let target = deleted[next]
            next += 1
            for table in tables.indices {
                for (number, reference) in tables.layout(table).references.enumerated()
                where reference.rule != .noAction && reference.destination == tables.layout(target.table).name {
                    for key in tables[table].referrers(number, to: target.key).sorted() {
                        try apply(reference, to: Row(table: table, key: key), target, tables)
                    }
                }
            }
            for (row, number) in moved[target] ?? [] {
                try apply(tables.layout(row.table).references[number], to: row, target, tables)
            }
        }
    }

    /// Throws an error if a row still references a row whose delete it denies.
    func checkDenied(_ tables: Tables) throws {
        for (row, reference, target) in denied where values(row, tables)?[reference.column].key == target.key {
            let layout = tables.layout(target.table)
            throw SwiftDataError.deleteDenied.with(
                detail: "a row of \(tables.layout(row.table).name) still references it", entityName: layout.name,
                persistentIdentifier: layout.origin.identifier(target.key))
        }
    }

    private mutating func apply(
        _ reference: TableLayout.Reference, to row: Row, _ target: Row, _ tables: Tables
    ) throws {
        // Not if the save changes the reference.
        guard reference.rule != .noAction, var values = values(row, tables),
            values[reference.column].key == target.key
        else { return }
        switch reference.rule {
        case .cascade: return try delete(row, tables)
        case .deny: return denied.append((row, reference, target))
        case .nullify, .noAction: break
        }
        values[reference.column] = .null
        if updated.updateValue(values, forKey: row) == nil { order.append(row) }
    }
}
