import Chronicle
import Foundation

enum BlameCommand {
    static let command = Command(
        name: "blame", summary: "show who gave each attribute of a model its value",
        discussion: """
            Shows, for each attribute and relationship of a model, its value and the transaction that set it. Values that \
            are older than the history have no transaction.
            """,
        operands: [.file, .init(name: "MODEL", summary: "the entity and primary key of a model, such as Trip/7")],
        options: [.json, .modelFile], negativeResult: "there is no such model", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console)
        try file.printNoteOnInterruptions(console)
        let requested: PersistentIdentifier
        do { requested = try file.identifier(try arguments.required("MODEL")) } catch let error as MissingModel {
            console.message("chronicle: \(error.message)")
            return .negative
        }
        guard let row = try file.row(requested) else {
            let model = try file.text(of: requested).escaped
            console.message(
                try isDeleted(requested, file)
                    ? ErrorText.namingFile(
                        "chronicle: \(model) was deleted; see `chronicle log --model \(model) FILE`",
                        console.file?.escaped)
                    : "chronicle: there is no model \(model)")
            return .negative
        }
        let identifier = row.persistentIdentifier
        let blame: ModelBlame<UntypedModel, DefaultHistoryTransaction> = try ModelContext(file.container)
            .blame(of: identifier)
        let entity = try file.entity(named: identifier.entityName)
        var rows: [[String]] = []
        for name in blame.attributeNames {
            let transaction = blame[name]
            let property = entity.property(named: name)
            let value = property.flatMap { file.value(of: $0, in: row) }
            if arguments.has("json") {
                try console.line(
                    .members([
                        "attribute": .string(name),
                        "value": property?.isStored == true ? ValueText.json(value, of: property) : nil,
                        "transaction": transaction.map { .integer($0.transactionIdentifier) } ?? .null,
                        "date": .optional(transaction.flatMap { file.date(of: $0) }.map(DateText.iso8601)),
                        "author": .optional(transaction?.author),
                    ]))
            } else {
                rows.append([
                    transaction.map { String($0.transactionIdentifier) } ?? "-",
                    transaction.map { file.date(of: $0, console) } ?? "before the history",
                    transaction?.author?.escaped ?? (transaction?.isExternal == true ? "(other programs)" : "-"),
                    name.escaped, property?.isStored == true ? ValueText.text(value, of: property, console) : "",
                ])
            }
        }
        for line in TextLayout.table(rows, rightAligned: [0]) { try console.line(line.trimmingTrailingSpaces) }
        return .success
    }

    /// Whether the newest change of a model is its deletion.
    private static func isDeleted(_ identifier: PersistentIdentifier, _ file: StoreFile) throws -> Bool {
        guard file.store.recordsHistory else { return false }
        var request = ModelHistoryRequest<DefaultHistoryTransaction>(identifier, order: .reverse, limit: 1)
        while true {
            let page = try file.store.fetchModelHistory(request)
            if let newest = page.entries.first { return newest.kind == .delete }
            guard let continuation = page.continuation else { return false }
            request.continuation = continuation
        }
    }
}
