import Foundation

/// Runs the benchmarks, prints a table, and exits with status 1 if a row exceeds its limit.
@main
enum Benchmarks {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if try MemoryRows.run(arguments) { exit(0) }
            if try await EventRows.run(arguments) { exit(0) }
            if try await PostgresWriterRows.run(arguments) { exit(0) }
            let options = try Options(arguments)
            Allocator.keepMemory()
            exit(try run(options) ? 0 : 1)
        } catch let mistake as Options.MacroDiagnostic {
            FileHandle.standardError.write(Data("\(mistake.message)\n\(Options.usage)\n".utf8))
            exit(2)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(3)
        }
    }

    /// - Returns: Whether all rows are within their limits.
    private static func run(_ options: Options) throws -> Bool {
        let rows =
            (ComparedRows.all + UpsertRows.all + PreservedRows.all + HistoryRows.all + ConsumerRows.all + EventRows.all
            + PropertyRows.all + RelationshipRows.all + PendingRows.all + RetentionRows.all
            + AsOfRows.all + ModelHistoryRows.all + RevisionRows.all + RevertRows.all + ReplayRows.all
            + AppleStoreRows.all + SealRows.all + PostgresRows.all)
            .filter { row in
                options.filter.map { row.name.contains($0) } ?? true
            }
        var isWithinLimits = true
        for row in rows {
            guard !options.listsOnly else {
                print(row.name)
                continue
            }
            let line = try row.line(runs: options.runs)
            // Not `print`, which buffers lines if the output is not a terminal.
            FileHandle.standardOutput.write(Data("\(line.text)\n".utf8))
            isWithinLimits = isWithinLimits && !line.isOver
        }
        return isWithinLimits
    }
}
