import Chronicle

enum DiffCommand {
    static let command = Command(
        name: "diff", summary: "compare the models at two positions of the history",
        discussion: """
            Shows one change for each model that differs between two positions: transactions, dates, tags, start or now. \
            Changes that cancel each other out are not shown. If the history does not preserve a value, its place shows ?, \
            and the change is shown even if the values may be equal.

            With --sql, the output consists of SQL statements that turn the models and links at the first position into those \
            at the second one, and with --reverse the statements that undo this. A value that is not known is an error. The \
            statements are one transaction, which changes nothing if one of them fails or finds no row. They do not enforce \
            foreign keys. They drop the triggers of the changed tables of a tracked database, except those of Chronicle, and \
            create them again.

              chronicle diff --sql Trips.store before-import now | sqlite3 past.db
            """,
        operands: [
            .file, .init(name: "FROM", summary: "the first position"),
            .init(name: "TO", summary: "the second position; now if omitted", isOptional: true),
        ],
        options: [
            .init(
                name: "entity", value: "E", values: .names,
                summary: "only models of an entity and those that inherit from it"),
            .init(name: "stat", summary: "only the numbers of models for each entity"),
            .init(name: "sql", summary: "print SQL statements that make the changes"),
            .init(name: "reverse", summary: "with --sql, print statements that undo the changes"), .json, .modelFile,
        ], negativeResult: "the positions differ", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console)
        func token(_ text: String) throws -> DefaultHistoryToken {
            try Position(text, in: file.store, console.settings).token(in: file.store)
        }
        let (start, end) = (try token(try arguments.required("FROM")), try token(arguments.operands["TO"] ?? "now"))
        // The newest position is not the present if changes of a table are not recorded.
        if [arguments.operands["FROM"], arguments.operands["TO"] ?? "now"] != ["now", "now"] {
            try file.requireRecorded(arguments.value("entity"))
        }
        if arguments.has("sql") { return try writeSQL(arguments, file, start, end, console) }
        guard !arguments.has("reverse") else { throw UsageError("--reverse requires --sql") }
        let all: NetChanges = try ModelContext(file.container).changes(between: start, and: end)
        let changes =
            try arguments.value("entity").map { all.changes(ofEntity: try file.entity(named: $0).name) }
            ?? Array(all)
        let text = NetChangeText(console: console, file: file)
        if arguments.has("stat") {
            var counts = ChangeCounts()
            for change in changes { counts.add(change.kind.changeKind, change.persistentIdentifier.entityName) }
            if arguments.has("json") {
                try console.line(counts.json)
            } else {
                for line in counts.lines { try console.line(line) }
            }
        } else {
            for change in changes {
                if arguments.has("json") { try console.line(try text.json(change)) } else { try text.write(change) }
            }
        }
        return changes.isEmpty ? .success : .negative
    }

    private static func writeSQL(
        _ arguments: Arguments, _ file: StoreFile, _ start: DefaultHistoryToken, _ end: DefaultHistoryToken,
        _ console: Console
    ) throws -> ExitStatus {
        if ["stat", "json", "entity"].contains(where: arguments.has) {
            throw UsageError("--sql describes all changes; omit --stat, --json and --entity")
        }
        let (first, last) = arguments.has("reverse") ? (end, start) : (start, end)
        let statements = try file.sqliteStore("statements in SQL").sqlStatements(from: first, to: last)
        for statement in statements { try console.line(statement) }
        return statements.isEmpty ? .success : .negative
    }
}

private struct NetChangeText {
    let console: Console
    let file: StoreFile

    func write(_ change: NetChange) throws {
        let model = try file.text(of: change.persistentIdentifier).escaped
        switch change.kind {
        case .insert: try console.line(console.styled("insert \(model)", .green))
        case .update: try console.line(console.styled("update \(model)", .blue))
        case .delete: try console.line(console.styled("delete \(model)", .red))
        }
        for value in ordered(change) { try console.line("    \(value.name.escaped): \(line(value, change))") }
    }

    /// Returns the values of a change in the order of the properties of its model, then those of removed properties.
    private func ordered(_ change: NetChange) -> [NetValue] {
        let indices = change.values.map { property($0, change)?.index ?? .max }
        return change.values.indices.sorted { (indices[$0], $0) < (indices[$1], $1) }.map { change.values[$0] }
    }

    private func property(_ value: NetValue, _ change: NetChange) -> Schema.Property? {
        file.schema.entitiesByName[change.persistentIdentifier.entityName]?.property(named: value.name)
    }

    private func line(_ value: NetValue, _ change: NetChange) -> String {
        if value.addedDestinations != nil || value.removedDestinations != nil {
            let removed = (value.removedDestinations ?? []).map { console.styled("- \($0)".escaped, .red) }
            let added = (value.addedDestinations ?? []).map { console.styled("+ \($0)".escaped, .green) }
            return (removed + added).joined(separator: " ") + (value.isMissing ? " ?" : "")
        }
        let property = property(value, change)
        let before = console.styled(text(value.previousValue, property), .red)
        let after = console.styled(text(value.value, property), .green)
        return switch change.kind {
        case .insert: after
        case .delete: before
        case .update: "\(before) -> \(after)"
        }
    }

    private func text(_ value: (any Sendable)??, _ property: Schema.Property?) -> String {
        switch value {
        case .none: "?"
        case .some(let value): ValueText.text(value, of: property, console)
        }
    }

    func json(_ change: NetChange) throws -> JSON {
        .members([
            "kind": .string(String(describing: change.kind)),
            "model": .string(try file.text(of: change.persistentIdentifier)),
            "values": .object(ordered(change).map { .init(name: $0.name, value: json($0, property($0, change))) }),
        ])
    }

    private func json(_ value: NetValue, _ property: Schema.Property?) -> JSON {
        func side(_ value: (any Sendable)??) -> JSON? {
            switch value {
            case .none: nil
            case .some(let value): ValueText.json(value, of: property)
            }
        }
        func models(_ list: [PersistentIdentifier]?) -> JSON? {
            list.map { .array($0.map { .string($0.description) }) }
        }
        return .members([
            "old": side(value.previousValue), "new": side(value.value), "removed": models(value.removedDestinations),
            "added": models(value.addedDestinations), "isMissing": value.isMissing ? .bool(true) : nil,
        ])
    }
}

extension NetChange.Kind {
    fileprivate var changeKind: HistoryFilter.ChangeKind {
        switch self {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        }
    }
}
