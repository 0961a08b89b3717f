import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// The files of configurations without a URL.
extension ModelConfiguration {
    /// The user's application support directory, which is `$XDG_DATA_HOME` or `~/.local/share` on Linux.
    static var applicationSupportDirectory: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory())
    }

    /// The directory of this program in the application support directory.
    ///
    /// Programs do not share a directory, because they may have different models of the same name.
    static var programDirectory: URL {
        let name = TransactionSource.program.replacing("/", with: "-")
        return applicationSupportDirectory.appending(path: ["", ".", ".."].contains(name) ? "Chronicle" : name)
    }

    /// Whether the file is in the directory that the configuration chose, which is created if it does not exist.
    var isInDefaultDirectory: Bool {
        url.deletingLastPathComponent().path == groupContainer.directory.path
    }

    /// The file of all programs of the user, which earlier versions of Chronicle used for a configuration without a URL.
    private var sharedFile: URL? {
        guard namesFile, groupContainer.identifier == nil, isInDefaultDirectory else { return nil }
        return Self.applicationSupportDirectory.appending(path: url.lastPathComponent)
    }

    /// Returns the configuration with the URL of the file that the program uses: that of an earlier version of Chronicle if
    /// it contains models of this program and there is no file in the program's directory.
    ///
    /// - Parameters:
    ///   - schema: The models of the store.
    ///   - migrationPlan: The plan with the earlier versions of the models.
    /// - Throws: The error of a file of an earlier version that cannot be examined. Creating another file would conceal the
    ///   models that it may contain.
    func locatingFile(of schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?) throws -> ModelConfiguration
    {
        guard !isStoredInMemoryOnly, let sharedFile, !FileManager.default.fileExists(atPath: url.path),
            FileManager.default.fileExists(atPath: sharedFile.path)
        else { return self }
        var names = schema.tableNames
        for version in try migrationPlan.map({ try SchemaMigration($0, to: schema).versions }) ?? [] {
            names.formUnion(Schema(versionedSchema: version).tableNames)
        }
        guard try isOwn(fileAt: sharedFile, names) else { return self }
        var configuration = self
        configuration.url = sharedFile
        return configuration
    }

    /// Returns whether this program used a file. If the file does not record the programs, or this program only reads, the
    /// file must have one of the tables.
    private func isOwn(fileAt url: URL, _ tables: Set<String>) throws -> Bool {
        do {
            return try DefaultStore.inspecting(url) { connection in
                guard try !FileFormat.isTracked(connection) else { return false }
                let programs = try connection.programs()
                // Also for models that the file does not have yet: all containers of a program use the same file.
                if programs.contains(TransactionSource.program) { return true }
                // Programs that only read are not recorded.
                guard programs.isEmpty || !allowsSave else { return false }
                if try tables.contains(where: connection.tableExists) { return true }
                if programs.isEmpty { logIgnoredFile(url) }
                return false
            } ?? false
        } catch let error as SwiftDataError where [.notADatabase, .notAChronicleStore].contains(error) {
            return false
        } catch let error as SwiftDataError {
            let detail =
                "an earlier version of Chronicle may have stored the models in \(url.path): \(error.detail ?? "")"
            throw error.with(detail: "\(detail); move this file away, or open it with its URL")
        }
    }

    /// Logs that the file of an earlier version, which does not record its programs, has none of the models.
    private func logIgnoredFile(_ file: URL) {
        log(
            .notice, event: "sharedFileIgnored",
            "the store is \(url.path); if \(file.path) has other models of this program, open them with its URL, or move it and "
                + "the files beside it to \(url.path) while no program uses it",
            metadata: ["path": url.path, "sharedPath": file.path])
    }

    /// Logs that the file of an earlier version is used.
    func logSharedFile(instead unused: URL) {
        log(
            .notice, event: "sharedFile",
            "the store is \(url.path), which other programs of the user may open as well; move it and the files beside it "
                + "to \(unused.path) while no program uses it",
            metadata: ["path": url.path, "ownPath": unused.path])
    }
}

extension Schema {
    /// The present and former names of the tables.
    fileprivate var tableNames: Set<String> { Set(entities.flatMap { [$0.name, $0.originalName] }) }
}

extension Connection {
    /// Returns the names of the programs that opened the file, or saved a transaction of its history. A file of an earlier
    /// version may contain none.
    fileprivate func programs() throws -> Set<String> {
        guard try FileFormat.version(self) == FileFormat.current else { return [] }
        var programs = try KnownSchemas.programs(MetaTable.knownSchemas(self))
        let statement = try prepare("SELECT DISTINCT program FROM \(SourceTable.name) WHERE program <> ''")
        while try statement.step() { programs.insert(statement.text(0)) }
        // Linux appends this to the name of a program whose file was replaced while it ran.
        return Set(programs.map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 })
    }
}
