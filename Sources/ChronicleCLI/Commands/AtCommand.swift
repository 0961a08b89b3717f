import Chronicle
import Foundation

enum AtCommand {
    static let command = Command(
        name: "at", summary: "list or copy models as they were at a position of the history",
        discussion: """
            Lists the models of an entity, and of those that inherit from it, as they were after a transaction, at a date, or \
            at a tag. The position now lists the present ones. A value that changed since and that the history does \
            not preserve, for example because it has more than 65,536 bytes, is shown as ?, and cannot be compared.

            The condition of --where compares attributes with values; every comparison must be true:

              name = "Honeymoon" and price >= 100 and note = nil

            The operators are =, !=, <, <=, >, >=, and contains for text. Text is in quotation marks, dates are written as \
            positions, such as 2026-03-01, and id is the key of a model. For a tracked table, use the columns of its primary key. \
            Put names with spaces or operators in quotation marks, too. A relationship is compared with a model, such as \
            Trip/7. Values of different kinds are unequal, and neither is less.

            With -o and without an entity, the models and links of the whole store are written to a new SQLite database without \
            a history, which any program can open. The copy of a tracked database has its indexes, views and triggers. If a \
            value is not known, nothing is written, unless --unknown null replaces it with NULL; tables that are not recorded \
            are empty then.

              chronicle at Trips.store 2026-03-01 -o past.db
            """,
        operands: [
            .file, .init(name: "POSITION", summary: "a transaction, date or tag"),
            .init(name: "ENTITY", summary: "the name of an entity; required without -o", isOptional: true),
        ],
        options: [
            .init(
                name: "output", letter: "o", value: "NEW", values: .files,
                summary: "write the whole store as it was to a new database"),
            .init(
                name: "unknown", value: "VALUE", values: .list(["null"]),
                summary: "with -o, what replaces a value that is not known: null"),
            .init(name: "where", value: "CONDITION", summary: "only models whose attributes match"),
            .init(name: "number", letter: "n", value: "N", summary: "at most N models"), .json, .modelFile,
        ], negativeResult: "no model matches", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        if let output = arguments.value("output") { return try write(arguments, to: output, console) }
        guard !arguments.has("unknown") else { throw UsageError("--unknown requires -o") }
        let file = try StoreFile.read(arguments, console)
        guard let name = arguments.operands["ENTITY"] else {
            throw UsageError(
                "at: ENTITY is missing; to write the whole store, use -o\nUsage: \(HelpText.usage(of: command))")
        }
        if file.schema.entitiesByName[name] == nil, let position = arguments.operands["POSITION"],
            file.schema.entitiesByName[position] != nil
        {
            throw UsageError(
                "at: POSITION comes before ENTITY, \(position.escaped)\nUsage: \(HelpText.usage(of: command))")
        }
        let entity = try file.entity(named: name)
        let condition = try arguments.value("where").map { try RowCondition($0, entity, file, console.settings) }
        let limit = try arguments.count("number") ?? .max
        let position = try arguments.required("POSITION")
        // Rows whose keys have numbers cannot be identified before new keys are numbered, so this includes the present.
        if position != "now" || file.store.primaryKeyColumns(ofEntity: name) != nil { try file.requireRecorded(name) }
        let store = try store(at: position, file, console)
        let writer = RowPrinter(file: file, console: console, isJSON: arguments.has("json"))
        var count = 0
        var isFound = false
        struct Enough: Error {}
        do {
            let identifier = try condition?.identifier(entity, file)
            try store.fetchRows(
                ofEntity: entity.name, identifiers: identifier.map { [$0] },
                withMissingValues: { row, missing in
                    guard try condition?.matches(row, missing: missing, file) ?? true else { return }
                    isFound = true
                    if count < limit { try writer.write(row, missing: missing) }
                    count += 1
                    if count >= limit { throw Enough() }
                })
        } catch is Enough {}
        if !isFound { console.message("No model matches.") }
        return isFound ? .success : .negative
    }
}

extension AtCommand {
    private static func write(_ arguments: Arguments, to output: String, _ console: Console) throws -> ExitStatus {
        var arguments = arguments
        if let position = arguments.operands["ENTITY"], arguments.operands["FILE"] == nil {
            // The path of a file that does not exist was taken as the position.
            arguments.operands["FILE"] = arguments.operands["POSITION"]
            (arguments.operands["POSITION"], arguments.operands["ENTITY"]) = (position, nil)
        }
        if arguments.operands["ENTITY"] != nil || ["where", "number", "json"].contains(where: arguments.has) {
            throw UsageError("-o writes the whole store; omit ENTITY, --where, --number and --json")
        }
        if output == "-" { throw UsageError("a database cannot be written to standard output; name a file with -o") }
        let file = try StoreFile.read(arguments, console)
        let text = try arguments.required("POSITION")
        // Only now, rows are known that are not recorded, also if the position is that of the newest transaction.
        let past =
            text == "now"
            ? file.store : try file.store(asOf: Position(text, in: file.store, console.settings).token(in: file.store))
        try file.sqliteStore("writing a database", of: past).writeDatabase(
            to: URL(fileURLWithPath: output), replacesUnknownValues: arguments.has("unknown"))
        return .success
    }

    private static func store(
        at text: String, _ file: StoreFile, _ console: Console
    ) throws -> any InspectedStore {
        // Also without a history.
        if text == "now", file.appleStore != nil { return file.store }
        let token = try Position(text, in: file.store, console.settings).token(in: file.store)
        let newest = try file.store.currentHistoryToken()
        let check = token.checkValue(in: file.store.identifier)
        // Another transaction at the position, after a backup was restored, has another check value.
        let isPresent = token == newest && (check == nil || check == newest?.checkValue(in: file.store.identifier))
        // A store as of the newest position is the store itself, which also has the values that the history lacks.
        return isPresent ? file.store : try file.store(asOf: token)
    }
}

struct RowPrinter {
    let file: StoreFile
    let console: Console
    let isJSON: Bool

    /// - Parameter missing: The properties whose values the history does not contain.
    func write(_ row: DefaultSnapshot, missing: Set<String> = []) throws {
        if isJSON { return try console.line(json(row, missing: missing)) }
        try console.line(console.styled(try text(of: row).escaped, .yellow))
        for property in try file.entity(named: row.persistentIdentifier.entityName).storedProperties {
            let value =
                missing.contains(property.name)
                ? "?" : ValueText.text(file.value(of: property, in: row), of: property, console)
            try console.line("    \(property.name.escaped): \(value)")
        }
    }

    /// The key of a tracked table is among the values of the row, so that the store is not used while it returns rows.
    private func text(of row: DefaultSnapshot) throws -> String {
        let name = row.persistentIdentifier.entityName
        guard let columns = file.store.primaryKeyColumns(ofEntity: name) else {
            return row.persistentIdentifier.description
        }
        let entity = try file.entity(named: name)
        let values = columns.compactMap { column in entity.property(named: column).map { row.values[$0.slot] } }
        return "\(name)/\(PrimaryKeyText.text(values))"
    }

    func json(_ row: DefaultSnapshot, missing: Set<String> = []) throws -> JSON {
        let entity = try file.entity(named: row.persistentIdentifier.entityName)
        return .members([
            "model": .string(try text(of: row)),
            "values": .object(
                entity.storedProperties.filter { !missing.contains($0.name) }
                    .map { .init(name: $0.name, value: ValueText.json(file.value(of: $0, in: row), of: $0)) }),
            "missing": missing.isEmpty ? nil : .array(missing.sorted().map(JSON.string)),
        ])
    }
}
