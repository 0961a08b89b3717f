import ChronicleCore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Checks everything that the file format promises, without changing the file.
    ///
    /// The checks include SQLite's, the definitions of tables, indexes and triggers, the rows of the history and their
    /// descriptions, references between models, and whether each row is what its recorded history says, as far as the
    /// history preserves its values. They run in one read transaction, so other programs can write meanwhile.
    ///
    /// ```swift
    /// try DefaultStore.verify(fileAt: url) { problem in print(problem.kind, problem) }
    /// ```
    ///
    /// Rows that were changed before the history begins, before a gap, or while it was disabled are compared as far as
    /// later changes determine them.
    ///
    /// The seals of a sealed history are not verified, except that their tables and indexes exist. The method `verifySeals` of the
    /// product `ChronicleSeals` compares the history with them.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - progress: A closure that receives the part of the work that is done, from 0 to 1.
    ///   - problem: A closure that receives each problem, at most 100 of the same kind and table.
    /// - Throws: The error that `problem` throws. The errors of ``schema(ofFileAt:)`` if the file cannot be read as a
    ///   store, such as ``SwiftDataError/notAChronicleStore``, and ``SwiftDataError/loadIssueModelContainer`` also if the
    ///   file is empty or its creation was interrupted; restore a backup.
    /// - Complexity: O(*n*) in the size of the file. The memory depends on the number of models in the history, up to about
    ///   500 MB; longer histories are read several times.
    public static func verify(
        fileAt url: URL, progress: ((Double) -> Void)? = nil, _ problem: (StoreProblem) throws -> Void
    ) throws {
        var isComplete = false
        do {
            let found: Void? = try withoutActuallyEscaping(problem) { problem in
                try inspecting(url) { connection in
                    try FileFormat.requireCurrentVersion(connection, url.path)
                    try connection.define(PredicateFunctions.all)
                    try connection.define(DecimalOrder.collation)
                    try StoreVerifier(connection, progress, problem).run()
                    isComplete = true
                }
            }
            guard found != nil else { throw FileFormat.incomplete(url.path) }
        } catch let error as SwiftDataError where error == .damagedFile {
            // SQLite ends a transaction in which it found damage, which was then reported.
            if isComplete { return }
            try problem(StoreProblem(kind: .database, table: nil, row: nil, detail: error.detail ?? error.description))
        }
    }
}
