import ChronicleTestSupport
import Foundation

/// A repository with a random linear history of files, which `git` itself creates, and which a test compares with the
/// history of models.
struct GitRepository {
    /// A change of a file in a commit.
    enum Change: Equatable {
        /// The file was added or modified, and has this content.
        case write(path: String, content: String)
        case delete(path: String)
    }

    struct Commit {
        let author: String
        let message: String
        let changes: [Change]
    }

    /// A change of a file as `git log --raw` prints it, with object names instead of contents.
    struct RawChange: Hashable {
        /// `A`, `M` or `D`.
        let status: String
        let path: String
        /// The object names before and after the change, or `nil` if the file did not exist.
        let old: String?
        let new: String?
    }

    let directory: TemporaryDirectory
    let commits: [Commit]
    /// The names of the commits, oldest first.
    private(set) var names: [String] = []

    private static let authors = ["Ada", "Brook", "Charles", "Dana"]

    /// Creates the repository with `git fast-import`.
    init(commits count: Int, _ random: inout SplitMix) throws {
        directory = try TemporaryDirectory()
        commits = Self.randomCommits(count, &random)
        try git("init", "--quiet", "--bare", "--initial-branch=main")
        let stream = directory.file("stream")
        try Self.stream(commits).write(to: stream)
        let path = directory.file("repository").path
        let (status, _, errors) = try Shell.run(
            "/bin/sh", ["-c", "git --git-dir=\"$1\" fast-import --quiet < \"$2\"", "sh", path, stream.path])
        guard status == 0 else { throw Shell.Failure(description: "git fast-import ended with \(status): \(errors)") }
        names = try lines("rev-list", "--reverse", "main")
    }

    private static func randomCommits(_ count: Int, _ random: inout SplitMix) -> [Commit] {
        var contents: [String: String] = [:]
        return (0..<count).map { number in
            var changes: [Change] = []
            // Each path at most once for each commit.
            var paths = Set((0..<1 + random.below(4)).map { _ in "d\(random.below(6))/f\(random.below(20))" })
            while changes.isEmpty {
                for path in paths.sorted() {
                    if contents[path] != nil, random.below(4) == 0 {
                        contents[path] = nil
                        changes.append(.delete(path: path))
                    } else {
                        // Some contents return, and some files have the same content.
                        let content = "content \(random.below(1_000))"
                        guard contents.updateValue(content, forKey: path) != content else { continue }
                        changes.append(.write(path: path, content: content))
                    }
                }
                paths = ["d0/f\(random.below(20))"]
            }
            return Commit(author: random.pick(authors), message: "commit \(number)", changes: changes)
        }
    }

    /// The commits in the format of https://git-scm.com/docs/git-fast-import.
    private static func stream(_ commits: [Commit]) -> Data {
        var text = ""
        func data(_ content: String) -> String { "data \(content.utf8.count)\n\(content)\n" }
        for (number, commit) in commits.enumerated() {
            text += "commit refs/heads/main\n"
            text += "committer \(commit.author) <\(commit.author)@example.com> \(1_700_000_000 + number) +0000\n"
            text += data(commit.message)
            for change in commit.changes {
                switch change {
                case .write(let path, let content): text += "M 100644 inline \(path)\n\(data(content))"
                case .delete(let path): text += "D \(path)\n"
                }
            }
        }
        return Data("\(text)done\n".utf8)
    }

    /// The contents of all files in all commits.
    var contents: Set<String> {
        Set(commits.flatMap(\.changes).compactMap { if case .write(_, let content) = $0 { content } else { nil } })
    }

    // MARK: Reading

    @discardableResult
    private func git(_ arguments: String...) throws -> String { try git(arguments) }

    private func git(_ arguments: [String]) throws -> String {
        let (status, output, errors) = try Shell.run(
            "/usr/bin/env", ["git", "--git-dir=\(directory.file("repository").path)"] + arguments)
        guard status == 0 else { throw Shell.Failure(description: "git \(arguments) ended with \(status): \(errors)") }
        return output
    }

    private func lines(_ arguments: String...) throws -> [String] { try lines(arguments) }

    private func lines(_ arguments: [String]) throws -> [String] {
        try git(arguments).split(separator: "\n").map(String.init)
    }

    /// `git hash-object`: the object names of contents.
    func objectNames(_ contents: Set<String>) throws -> [String: String] {
        let contents = contents.sorted()
        let files = contents.indices.map { directory.file("content-\($0)") }
        for (content, file) in zip(contents, files) { try Data(content.utf8).write(to: file) }
        return Dictionary(
            uniqueKeysWithValues: zip(contents, try lines(["hash-object", "--no-filters"] + files.map(\.path))))
    }

    /// `git log --raw`: the changes of each commit, oldest first.
    func rawChanges() throws -> [[RawChange]] {
        try git("log", "--reverse", "--raw", "--no-abbrev", "--no-renames", "--format=tformat:commit", "main")
            .components(separatedBy: "commit\n").dropFirst().map(Self.rawChanges)
    }

    private static func rawChanges(_ text: String) -> [RawChange] {
        text.split(separator: "\n").map { line in
            // :000000 100644 0000… 5716… A<tab>path
            let (columns, path) = (line.split(separator: "\t")[0].split(separator: " "), line.split(separator: "\t")[1])
            func object(_ column: Int) -> String? {
                columns[column].allSatisfy { $0 == "0" } ? nil : String(columns[column])
            }
            return RawChange(status: String(columns[4]), path: String(path), old: object(2), new: object(3))
        }
    }

    /// `git show`: the author and the changes of a commit.
    func show(_ name: String) throws -> (author: String, changes: [RawChange]) {
        let text = try git("show", "--raw", "--no-abbrev", "--no-renames", "--format=%an", name)
        let (author, rest) = (text.prefix { $0 != "\n" }, text.drop { $0 != "\n" })
        return (String(author), Self.rawChanges(String(rest)))
    }

    /// `git diff`: the changes from one commit to another.
    func diff(_ first: String, _ second: String) throws -> [RawChange] {
        Self.rawChanges(try git("diff", "--raw", "--no-abbrev", "--no-renames", first, second))
    }

    /// `git log -- path`: the names of the commits that changed a path, newest first.
    func log(_ path: String) throws -> [String] { try lines("log", "--format=%H", "main", "--", path) }

    /// `git ls-tree`: the paths of a commit.
    func paths(_ name: String) throws -> [String] { try lines("ls-tree", "-r", "--name-only", name) }
}
