import Chronicle
import ChronicleAppleStore
import Foundation

enum ConvertCommand {
    static let command = Command(
        name: "convert", summary: "write a store of SwiftData or Core Data to a new store of Chronicle",
        discussion: """
            Writes the models, links and history of SOURCE to the new file DESTINATION, which opens with the same classes, and \
            compares each table. SOURCE does not change. Transactions keep their author, time and program, updates the names of \
            their attributes, and deletes their preserved values. What could not be carried over is listed.

            The file does not contain the types of the program that are Codable: if it has such attributes, convert it in the \
            program, with AppleStore.convert(to:).
            """,
        operands: [
            .init(name: "SOURCE", summary: "the file of SwiftData or Core Data"),
            .init(name: "DESTINATION", summary: "the new file, which must not exist"),
        ],
        options: [.json, .modelFile], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try arguments.required("SOURCE")
        let destination = try arguments.required("DESTINATION")
        try StoreFile.requireFile(path)
        let model = try arguments.modelFile().map { URL(fileURLWithPath: $0) }
        guard let store = try AppleStore(recognizing: URL(fileURLWithPath: path), model: model) else {
            throw UsageError(
                "\(path.escaped) is not a store of SwiftData or Core Data; use `chronicle export` and `chronicle import`"
            )
        }
        guard !FileManager.default.fileExists(atPath: destination) else {
            throw UsageError("\(destination.escaped) exists; choose another path, or delete the file")
        }
        let progress = Progress(console)
        let conversion = try store.convert(to: URL(fileURLWithPath: destination)) { count in
            progress.show("\(NumberText.grouped(count)) models and changes written")
        }
        progress.finish()
        if arguments.has("json") {
            try console.line(json(conversion))
        } else {
            try write(conversion, console)
        }
        return .success
    }

    private static func write(_ conversion: StoreConversion, _ console: Console) throws {
        let models = conversion.tables.filter { !$0.name.contains(".") }.reduce(0) { $0 + $1.count }
        try console.line(
            "Converted \(NumberText.counted(models, "model")) and "
                + "\(NumberText.counted(conversion.transactionCount, "transaction")) with "
                + "\(NumberText.counted(conversion.changeCount, "change")).")
        var rows = conversion.tables.map { [$0.name.escaped, NumberText.grouped($0.count), $0.checksum] }
        rows.append(["history", NumberText.grouped(conversion.transactionCount), conversion.historyChecksum])
        for line in TextLayout.table(rows) { try console.line("    \(line.trimmingTrailingSpaces)") }
        guard !conversion.omissions.isEmpty else { return }
        try console.line("Not carried over, or in another form:")
        for omission in conversion.omissions {
            let count = omission.count.map { " (\(NumberText.grouped($0)))" } ?? ""
            try console.line("    \(omission.subject.escaped)\(count): \(omission.detail.escaped)")
        }
    }

    private static func json(_ conversion: StoreConversion) -> JSON {
        .members([
            "transactions": .count(conversion.transactionCount), "changes": .count(conversion.changeCount),
            "historyChecksum": .string(conversion.historyChecksum),
            "tables": .array(
                conversion.tables.map {
                    .members(["name": .string($0.name), "count": .count($0.count), "checksum": .string($0.checksum)])
                }),
            "omissions": .array(
                conversion.omissions.map {
                    .members([
                        "subject": .string($0.subject), "count": $0.count.map(JSON.count) ?? .null,
                        "detail": .string($0.detail),
                    ])
                }),
        ])
    }
}
