#if Seals
    import Chronicle
    import Foundation

    /// A text file with one head in each line, in a git repository that others can clone.
    struct HeadRepository {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        static let file = "heads.txt"
        let directory: URL

        /// Opens a repository, and creates it if there is none.
        init(at directory: URL) throws {
            self.directory = directory
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try git("init", "--quiet")
        }

        /// The heads of the newest commit. What an interrupted call of ``append(_:)`` wrote to the file has no effect.
        func heads() throws -> [HistorySeal] {
            try text().split(separator: "\n").map { line in
                guard let head = HistorySeal(String(line)) else {
                    throw Failure(description: "\(Self.file) contains a line that is no head: \(line)")
                }
                return head
            }
        }

        /// Adds heads in one commit.
        func append(_ heads: [HistorySeal]) throws {
            guard let newest = heads.last else { return }
            let text = try text() + heads.map { "\($0)\n" }.joined()
            try Data(text.utf8).write(to: directory.appending(path: Self.file), options: .atomic)
            try git("add", "--", Self.file)
            try git("commit", "--quiet", "-m", "Seal the history up to \(newest.position)", "--", Self.file)
        }

        private func text() throws -> String {
            // Lists nothing if the file has no commit, also in a repository without commits.
            guard try !git("rev-list", "--all", "--max-count=1", "--", Self.file).isEmpty else { return "" }
            return try git("show", "HEAD:./\(Self.file)")
        }

        /// Runs git in the directory, and returns the output.
        @discardableResult
        private func git(_ arguments: String...) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let author = ["-c", "user.name=SealedTrips", "-c", "user.email=sealed-trips@localhost"]
            process.arguments = ["git", "-C", directory.path] + author + arguments
            // Variables of a git that has started this program name another repository.
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure(description: "git \(arguments[0]) ended with \(process.terminationStatus)")
            }
            return String(decoding: data, as: UTF8.self)
        }
    }
#endif
