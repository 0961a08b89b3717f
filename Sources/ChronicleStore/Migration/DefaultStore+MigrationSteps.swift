public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    /// Returns the changes that ``init(_:migrationPlan:)`` with the same arguments would make to the file, without making them.
    ///
    /// The method opens a copy of the file in the temporary directory, which it deletes afterwards. Like every reader of a file,
    /// it may roll back a transaction that a crash has interrupted.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store. One that does not allow saving, or stores in memory, has no steps.
    ///   - migrationPlan: The plan for migrating the file, or `nil`. The closures of its custom stages run with contexts of the
    ///     copy.
    /// - Returns: The changes; an empty array if the file would not change.
    /// - Throws: The errors of ``init(_:migrationPlan:)``, and ``SwiftDataError/storeFull`` if the temporary directory has not
    ///   enough space. Set the environment variable `TMPDIR`.
    /// - Complexity: Proportional to the size of the file.
    public static func migrationSteps(
        _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep] {
        let schema = try configuration.validatedSchema()
        return try ChronicleStore.attributingErrors(to: nil) {
            let configuration = try configuration.locatingFile(of: schema, migrationPlan)
            guard configuration.allowsSave, !configuration.isStoredInMemoryOnly else {
                try StoreOpener(configuration, schema, migrationPlan).open().database.close()
                return []
            }
            return try MigrationPreview(configuration, schema, migrationPlan).steps()
        }
    }
}

/// An opening of a copy of a file, so that what it changes is decided by the code that opens a file.
private struct MigrationPreview {
    private let configuration: ModelConfiguration
    private let schema: Schema
    private let migrationPlan: (any SchemaMigrationPlan.Type)?

    init(_ configuration: ModelConfiguration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?) {
        (self.configuration, self.schema, self.migrationPlan) = (configuration, schema, migrationPlan)
    }

    func steps() throws -> [MigrationStep] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-\(UUID().uuidString)")
        // Only the user has access, because the file may be private.
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let result = Result {
            try describingFile(inPlaceOf: directory) { try steps(directory.appending(path: "copy.store")) }
        }
        try FileManager.default.removeItem(at: directory)
        return try result.get()
    }

    private func steps(_ copy: URL) throws -> [MigrationStep] {
        let before = try copyFile(to: copy) ? DefaultStore.inspecting(copy, FileDescription.init) : nil
        let stages = Mutex<[MigrationStep]>([])
        var configuration = configuration
        configuration.url = copy
        configuration.logger = nil
        configuration.migrationProgress = { progress in
            guard progress.phase == .finished else { return }
            let step = MigrationStep(
                .runStage, detail: "runs the stage from version \(progress.fromVersion) to \(progress.toVersion)")
            stages.withLock { $0.append(step) }
        }
        try StoreOpener(configuration, schema, migrationPlan).open().database.close()
        guard let after = try DefaultStore.inspecting(copy, FileDescription.init) else {
            throw FileFormat.incomplete(configuration.url.path)
        }
        return MigrationSteps.steps(from: before, to: after, stages: stages.withLock(\.self))
    }

    /// Copies the file, and returns whether it exists.
    private func copyFile(to copy: URL) throws -> Bool {
        let directory = configuration.url.deletingLastPathComponent()
        if configuration.isInDefaultDirectory, !FileManager.default.fileExists(atPath: directory.path) { return false }
        let inspection = try FileInspection(url: configuration.url)
        guard try inspection.inspect(allowsSave: true) != .new else { return false }
        let source = try Connection(
            path: inspection.readOnlyPath, mode: .readOnly, busyTimeout: configuration.busyTimeout)
        defer { source.close() }
        let target = try Connection(path: copy.path, mode: .readWriteCreate)
        defer { target.close() }
        try source.copy(to: target)
        return true
    }

    /// Replaces the path of the copy in errors.
    private func describingFile<Result>(inPlaceOf directory: URL, _ body: () throws -> Result) throws -> Result {
        do { return try attributingErrors(to: nil, body) } catch let error as SwiftDataError {
            let path = configuration.url.path
            throw error.with(detail: error.detail?.replacing("\(directory.path)/copy.store", with: path))
        }
    }
}
