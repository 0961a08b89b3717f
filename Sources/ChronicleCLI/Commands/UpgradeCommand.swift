import Chronicle
import Foundation

/// `chronicle upgrade`.
enum UpgradeCommand {
    static let command = Command(
        name: "upgrade", summary: "upgrade a file to the current format (changes the file)",
        discussion: """
            Upgrades a file of an earlier format in one transaction. Tokens remain valid. Programs with an earlier version of \
            Chronicle can no longer use the file. A file of the current format is not changed.
            """,
        options: [.json], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try StoreFile.path(arguments.operands["FILE"], console.settings.environment)
        let url = URL(fileURLWithPath: path)
        let current = DefaultStore.currentFormatVersion
        guard let version = try DefaultStore.formatVersion(ofFileAt: url) else {
            throw DefaultStore.incompleteFile(at: url)
        }
        if version < current {
            let recordsHistory: Bool
            do {
                _ = try StoreFile(url: url, allowsSave: false).store.currentHistoryToken()
                recordsHistory = true
            } catch SwiftDataError.historyDisabled {
                recordsHistory = false
            }
            _ = try StoreFile(url: url, allowsSave: true, recordsHistory: recordsHistory)
        }
        if arguments.has("json") {
            try console.line(.members(["previousFormat": .count(version), "format": .count(current)]))
        } else if version < current {
            try console.line("Upgraded from format \(version) to format \(current).")
        } else {
            try console.line("The file has the current format, \(current).")
        }
        return .success
    }
}
