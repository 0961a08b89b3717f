import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The listings of the documentation are parts of files that are compiled and tested.
@Suite struct GuideTests {
    struct Listing {
        let line: Int
        /// The path of the file, relative to the root of the repository.
        let file: String?
        let code: [String]
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let catalog = root.appending(path: "Sources/Chronicle/Chronicle.docc")
    private static let tutorials = catalog.appending(path: "Tutorials")

    private static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// The Swift code blocks in an article, each with the file that the line above names, as code or in a comment.
    private static func listings(_ article: URL) throws -> [Listing] {
        let lines = try text(article).components(separatedBy: "\n")
        return lines.indices.filter { lines[$0] == "```swift" }.map { start in
            let code = lines[(start + 1)...].prefix { $0 != "```" }
            let file = lines[start - 1].firstMatch(of: /^(?:`|<!-- )([^` ]+\.swift)(?:`| -->)$/)?.output.1
            return Listing(line: start + 1, file: file.map { String($0) }, code: Array(code))
        }
    }

    private static func files(_ folder: URL, ending suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
    }

    @Test func listingsArePartOfTheFilesThatTheyName() throws {
        // In these articles, every listing names a file.
        let complete = [
            "Chronicle/Chronicle.docc/Chronicle.md", "Chronicle/Chronicle.docc/WritingAStore.md",
            "ChronicleTesting/ChronicleTesting.docc/ChronicleTesting.md", "../Documentation/SKILL.md",
        ]
        let sources = Self.root.appending(path: "Sources")
        let articles = try Self.files(sources, ending: ".md")
        #expect(articles.count > 10 && Set(articles).isSuperset(of: complete.dropLast()))
        for article in articles + ["../Documentation/SKILL.md"] {
            let listings = try Self.listings(sources.appending(path: article))
            #expect(!complete.contains(article) || !listings.isEmpty)
            for listing in listings {
                let place = "\(article):\(listing.line)"
                guard let file = listing.file else {
                    #expect(!complete.contains(article), "\(place) does not name its file")
                    continue
                }
                let text = try Self.text(Self.root.appending(path: file))
                // In a file that is compiled with a trait only, everything is indented.
                let indented = listing.code.map { $0.isEmpty ? $0 : "    " + $0 }
                #expect(
                    [listing.code, indented].contains { text.contains($0.joined(separator: "\n") + "\n") },
                    "\(place), \(file)")
            }
        }
    }

    /// The guide about errors has a row for each kind that Chronicle throws.
    @Test func everyErrorIsInTheGuide() throws {
        let unused: Set<SwiftDataError.Code> = [
            .includePendingChangesWithBatchSize, .sortingPendingChangesWithIdentifiers,
            .configurationSchemaNotFoundInContainerSchema,
        ]
        let guide = try Self.text(Self.catalog.appending(path: "HandlingErrors.md"))
        for code in SwiftDataError.Code.allCases {
            #expect(guide.contains("\n| `\(code.rawValue)` | ") == !unused.contains(code), "\(code)")
        }
    }

    /// The steps of a tutorial build up a file of an example: each step contains lines of it in order, and the last one
    /// contains all of them. Comments and empty lines are ignored.
    @Test(arguments: [
        ("FirstSteps", "Examples/FirstSteps/main.swift"),
        ("TripHistory", "Examples/SampleTrips/Sources/SampleTrips/Unread/TripHistory.swift"),
        ("UnreadTrips", "Examples/SampleTrips/Sources/SampleTrips/Unread/UnreadTrips.swift"),
    ])
    func tutorialStepsArePartOfExamples(_ name: String, _ example: String) throws {
        func lines(_ url: URL) throws -> [String] {
            try Self.text(url).components(separatedBy: "\n").filter { line in
                let code = line.drop { $0 == " " }
                return !code.isEmpty && !code.hasPrefix("//")
            }
        }
        let whole = try lines(Self.root.appending(path: example))
        let steps = try Self.files(Self.tutorials, ending: ".swift").filter { $0.contains("/\(name)-") }
        #expect(steps.count > 1)
        for step in steps {
            var rest = whole[...]
            for line in try lines(Self.tutorials.appending(path: step)) {
                guard let found = rest.firstIndex(of: line) else {
                    Issue.record("\(step): “\(line)” is not in \(example), or not at this position")
                    break
                }
                rest = rest[(found + 1)...]
            }
        }
        #expect(try lines(Self.tutorials.appending(path: try #require(steps.last))) == whole)
    }

    @Test func tutorialListingsAreUsed() throws {
        let tutorials = try Self.files(Self.tutorials, ending: ".tutorial").map {
            try Self.text(Self.tutorials.appending(path: $0))
        }
        let listings = try Self.files(Self.tutorials, ending: ".swift")
        #expect(listings.count > 5)
        for listing in listings.map({ URL(fileURLWithPath: $0).lastPathComponent }) {
            #expect(tutorials.contains { $0.contains("file: \"\(listing)\"") }, "\(listing)")
        }
    }

    /// `make docs` checks links between articles; these are the paths in other documents, and paths formatted as code.
    @Test func pathsExist() throws {
        let manager = FileManager.default
        let documents = try ["Documentation", "Sources"].flatMap { folder in
            try Self.files(Self.root.appending(path: folder), ending: ".md").map { folder + "/" + $0 }
        }
        let examples = try manager.contentsOfDirectory(atPath: Self.root.appending(path: "Examples").path)
            .map { "Examples/\($0)/README.md" }
            .filter { manager.fileExists(atPath: Self.root.appending(path: $0).path) }
        #expect(documents.count > 20 && examples.count > 2)
        for document in documents + examples + [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Tests/README.md", "llms.txt",
        ] {
            let url = Self.root.appending(path: document)
            let text = try Self.text(url)
            for link in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/).map({ String($0.output.1) }) {
                let target = url.deletingLastPathComponent().appending(path: link).standardizedFileURL
                #expect(manager.fileExists(atPath: target.path), "\(document): \(link)")
            }
            for named in text.matches(of: /`((?:Documentation|Examples|Sources|Tests)\/[^` ]+)`/) {
                let target = Self.root.appending(path: String(named.output.1))
                #expect(manager.fileExists(atPath: target.path), "\(document): \(named.output.1)")
            }
        }
    }
}
