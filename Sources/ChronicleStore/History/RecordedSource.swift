/// Who a transaction came from, as the file keeps it.
struct RecordedSource: Hashable, Sendable {
    let author: String?
    let contextName: String?
    /// Empty when the transaction is external.
    let program: String
    /// Empty when the transaction is external.
    let process: String

    /// Nobody: some other program.
    static let external = RecordedSource(author: nil, contextName: nil, program: "", process: "")
}
