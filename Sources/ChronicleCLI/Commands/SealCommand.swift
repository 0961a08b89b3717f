import Chronicle
import Foundation

#if Seals
    import ChronicleSeals
#endif

enum SealCommand {
    static let command = Command(
        name: "seal", summary: "seal the history and print its head (changes the file)",
        discussion: """
            Seals what is committed, and prints the head: a position and a hash over everything up to it, in at most 63 \
            characters. Keep heads outside of the file, where a person who can write the file cannot change them. chronicle \
            verify --seal HEAD shows later what they prove. Without changes since the newest seal, the head is the same.

            The first seal changes the format of the file to 3, which programs with an earlier version of Chronicle cannot open. \
            From then on, a purge keeps what is not sealed, so seal regularly, or end it with --end. Purges, deletions and \
            erasures of values remain possible, and are recorded.

            --generate-key creates a file with a key for --sign, and prints the public key for chronicle verify --signed-by. \
            Keep the file where others cannot read it.

            The command needs a tool that was built with the trait Seals.
            """,
        options: [
            .init(
                name: "sign", value: "KEYFILE", values: .files,
                summary: "sign the seals with a key of --generate-key"),
            .init(name: "end", summary: "add a last seal, after which a purge keeps nothing for later ones"),
            .init(
                name: "generate-key", value: "KEYFILE", values: .files,
                summary: "create a file with a key, print the public key, and seal nothing"),
            .json,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        if let path = arguments.value("generate-key") {
            return try generateKey(path, arguments, console)
        }
        try StoreFile.requireSeals()
        let key: SealSigningKey? = try arguments.value("sign").map { try SealKeyFile.key($0, console) }
        let file = try StoreFile.write(arguments.operands["FILE"], console)
        let wasSealed = try file.isSealed()
        defer { if !wasSealed { noteFormat(file, console) } }
        let head = try arguments.has("end") ? file.endSealing(signedBy: key) : file.sealHistory(signedBy: key)
        if arguments.has("json") {
            try console.line(.members(["head": .string(head.description), "position": .integer(head.position)]))
        } else {
            try console.line(head.description)
        }
        return .success
    }

    /// Also if the first seal was interrupted after the format had changed.
    private static func noteFormat(_ file: StoreFile, _ console: Console) {
        // What prevents reading the file is the error of the command.
        guard (try? file.isSealed()) == true else { return }
        let noun = file.location.url == nil ? "store" : "file"
        console.message(
            "Note: this was the first seal. The \(noun) has format 3 now, which programs with an earlier version of Chronicle "
                + "cannot open.")
    }

    private static func generateKey(_ path: String, _ arguments: Arguments, _ console: Console) throws -> ExitStatus {
        for (name, isGiven) in [
            ("FILE", arguments.operands["FILE"] != nil), ("--sign", arguments.has("sign")),
            ("--end", arguments.has("end")),
        ] where isGiven {
            throw UsageError("--generate-key seals nothing; leave out \(name)")
        }
        let publicKey = try SealKeyFile.generate(path)
        if arguments.has("json") {
            try console.line(.members(["publicKey": .string(publicKey)]))
        } else {
            try console.line(publicKey)
        }
        return .success
    }
}
