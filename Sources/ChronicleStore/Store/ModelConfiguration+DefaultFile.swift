import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// The files of configurations without a URL.
extension ModelConfiguration {
    /// `$XDG_DATA_HOME` or `~/.local/share` on Linux.
    static var applicationSupportDirectory: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory())
    }

    /// Programs do not share a directory, because they may have different models of the same name.
    static var programDirectory: URL {
        let name = TransactionSource.program.replacing("/", with: "-")
        return applicationSupportDirectory.appending(path: ["", ".", ".."].contains(name) ? "Chronicle" : name)
    }

    /// The directory that the configuration chose is created if it does not exist.
    var isInDefaultDirectory: Bool {
        url.deletingLastPathComponent().path == groupContainer.directory.path
    }

    /// The file of all the user's programs, which earlier versions of Chronicle used for a configuration without a URL.
    private var sharedFile: URL? {
        guard namesFile, groupContainer.identifier == nil, isInDefaultDirectory else { return nil }
        return Self.applicationSupportDirectory.appending(path: url.lastPathComponent)
    }

    /// Returns the configuration with the URL of an earlier version's file if that contains models of this program and
    /// there is no file in the program's directory. Throws the error of a file that cannot be examined, because another
    /// file would conceal its models.
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

    /// If the file does not record the programs, or this program only reads, the file must have one of the tables.
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

    /// The file of an earlier version, which does not record its programs, has none of the models.
    private func logIgnoredFile(_ file: URL) {
        log(
            .notice, event: "sharedFileIgnored",
            "the store is \(url.path); if \(file.path) has other models of this program, open them with its URL, or move it and "
                + "the files beside it to \(url.path) while no program uses it",
            metadata: ["path": url.path, "sharedPath": file.path])
    }

    func logSharedFile(instead unused: URL) {
        log(
            .notice, event: "sharedFile",
            "the store is \(url.path), which other programs of the user may open as well; move it and the files beside it "
                + "to \(unused.path) while no program uses it",
            metadata: ["path": url.path, "ownPath": unused.path])
    }
}

extension Schema {
    fileprivate var tableNames: Set<String> { Set(entities.flatMap { [$0.name, $0.originalName] }) }
}

extension Connection {
    /// The programs that opened the file, or saved a transaction of its history. A file of an earlier version may contain
    /// none.
    fileprivate func programs() throws -> Set<String> {
        guard try FileFormat.isSupported(FileFormat.version(self)) else { return [] }
        var programs = try KnownSchemas.programs(MetaTable.knownSchemas(self))
        let statement = try prepare("SELECT DISTINCT program FROM \(SourceTable.name) WHERE program <> ''")
        while try statement.step() { programs.insert(statement.text(0)) }
        // Linux appends this to the name of a program whose file was replaced while it ran.
        return Set(programs.map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 })
    }
}
