import Chronicle
import Foundation

enum ErrorText {
    /// - Parameter file: The path of the store as the user wrote it.
    static func describe(_ error: any Error, file: String? = nil) -> (message: String, status: ExitStatus) {
        switch error {
        case let error as UsageError: (namingFile(error.message, file?.escaped), .usage)
        case let error as MissingTransaction: (error.message, .usage)
        case let error as MissingModel: (error.message, .usage)
        // Descriptions contain no values of models, but names of files and entities.
        case let error as SwiftDataError: (text(of: error, file).escaped, .unreadable)
        case let error as FileFailure: (error.message, .unreadable)
        case let error as POSIXError: (String(cString: strerror(error.code.rawValue)), .unreadable)
        default: ("\(error.localizedDescription)".escaped, .unreadable)
        }
    }

    /// Replaces FILE in the commands of a message, such as `chronicle track FILE`, with the path, and adds the path to
    /// `chronicle track`. A connection string can contain a password, so FILE remains.
    static func namingFile(_ text: String, _ file: String?) -> String {
        guard let file, !file.contains("://") else { return text }
        return text.replacing(/(`chronicle [^`]*)\bFILE`/) { "\($0.output.1)\(file)`" }
            .replacing("`chronicle track`", with: "`chronicle track \(file)`")
    }

    private static func text(of error: SwiftDataError, _ file: String?) -> String {
        let text = hasOwnText(error) ? error.detail ?? error.description : error.description
        return withoutKind(inWordsOfTheTool(text, error, file), error)
    }

    /// A description begins with the kind of the error, which is a name for programs, and what it is about.
    private static func withoutKind(_ text: String, _ error: SwiftDataError) -> String {
        let kind = error.code.rawValue
        guard text.hasPrefix(kind) else { return text }
        let rest = text.dropFirst(kind.count)
        let separator = [" in ", " of ", ": ", " "].first(where: rest.hasPrefix)
        return String(rest.dropFirst(separator?.count ?? 0))
    }

    /// The detail of a file that cannot be opened says everything, and its kind is a name for programs.
    private static func hasOwnText(_ error: SwiftDataError) -> Bool {
        if error == .unsupportedFeature { return error.entityName == nil }
        return SwiftDataError.loadIssueModelContainer ~= error && error != .damagedFile && error.entityName == nil
    }

    private static func advice(_ error: SwiftDataError) -> String {
        switch error.code {
        case .historyTokenExpired: "use a later position (`chronicle log --reverse -n 1` shows the first)"
        case .historyTokenGap: "use a later position, such as start"
        case .historyTokenStoreMismatch: "use a position of this store"
        default: "use another position (`chronicle log` shows them)"
        }
    }

    private static func words(ofType name: Substring) -> String? {
        switch name {
        case "Bool": "true or false"
        case "Data": "binary data"
        case "Date": "a date"
        case "Decimal", "Double", "Float": "a number"
        case "String": "a text"
        case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64": "an integer"
        default: nil
        }
    }

    /// Errors advise programs. A user of the tool has a path instead of a URL, and no configuration.
    private static func inWordsOfTheTool(_ text: String, _ error: SwiftDataError, _ file: String?) -> String {
        var text = text
        for (words, others) in [
            ("open it once with `allowsSave: true` to create the store", "run its program once to create the store"),
            ("open it once with `allowsSave: true`", "run its program once"),
            ("open the store once with `allowsSave: true`", "run its program once"),
            (" or set `allowsSave` to `false`", ""), ("; set `allowsSave` to `true` to create it", ""),
            ("another URL", "another file"), ("container.backup(to:)", "container.backup(to:) in its program"),
            (
                "last opened with `recordsHistory: false`; open it with `recordsHistory: true` to record it again",
                "last opened by a program that disables its history; change the program to record it again"
            ),
            ("set `usesTransactionPooling` to `true`", "connect to the server without it"),
            ("or create a new container", "or start the command again"),
            ("use a name that `tags()` returns", "`chronicle tag` lists the names"),
            (
                "or enable preserving values for later changes",
                "enable preserving values for later changes (`chronicle track --values FILE` for a tracked database), or use "
                    + "--unknown null with `chronicle sql` and `chronicle at -o`"
            ),
        ] {
            text = text.replacing(words, with: others)
        }
        // Omits the name of an error's type, and the statement that waited for a lock.
        text = text.replacing(/\s\(cause: \w+Error( \d+)?\)/, with: "")
        if error == .storeBusy { text = text.replacing(/\swhile running: .*(?=\))/, with: "") }
        text = text.replacing(/a value of type (\w+)/) { match in
            words(ofType: match.output.1) ?? String(match.output.0)
        }
        let continuing =
            /(merge it with a token of this store, or )?fetch the models again,? and continue from (a|the) current token/
        text = text.replacing(continuing, with: advice(error))
        if error == .notAChronicleStore {
            text = text.replacing("choose another file, or record", with: "record")
        }
        text = namingFile(text, file)
        if let file, !file.contains("://"), let store = error.storeName.map({ "\"\($0)\"" }) ?? error.storeIdentifier {
            text = text.replacing(" of store \(store): ", with: " of \(file): ")
        }
        return text
    }
}
