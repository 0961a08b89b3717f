/// The source of a transaction as stored in the file.
struct RecordedSource: Hashable, Sendable {
    let author: String?
    let contextName: String?
    /// The name of the program; empty for external transactions.
    let program: String
    /// The process identifier; empty for external transactions.
    let process: String

    /// The source of changes by other programs.
    static let external = RecordedSource(author: nil, contextName: nil, program: "", process: "")
}
