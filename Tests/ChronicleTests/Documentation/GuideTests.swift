import Foundation
import Testing

/// The listings of the guide to writing a store are parts of files that are compiled and tested.
@Suite struct GuideTests {
    struct Listing {
        let line: Int
        let link: String?
        let code: [String]

    }

    private static let documentation = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Documentation")

    /// The blocks of Swift in the guide, each with the link in the line above it.
    private static func listings() throws -> [Listing] {
        let guide = try String(contentsOf: documentation.appending(path: "WritingAStore.md"), encoding: .utf8)
        let lines = guide.components(separatedBy: "\n")
        return lines.indices.filter { lines[$0] == "```swift" }.map { start in
            let code = lines[(start + 1)...].prefix { $0 != "```" }
            let link = lines[start - 1].components(separatedBy: "](").dropFirst().first?.dropLast()
            return Listing(line: start + 1, link: link.map { String($0) }, code: Array(code))
        }
    }

    @Test func everyListingIsCompiled() throws {
        let listings = try Self.listings()
        #expect(listings.count > 10)
        for listing in listings {
            let link = try #require(listing.link, "line \(listing.line) does not say which file it is from")
            let file = try String(
                contentsOf: Self.documentation.appending(path: link).standardizedFileURL, encoding: .utf8)
            #expect(file.contains(listing.code.joined(separator: "\n") + "\n"), "line \(listing.line), \(link)")
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        let manager = FileManager.default
        let guides = try manager.subpathsOfDirectory(atPath: Self.documentation.path).filter { $0.hasSuffix(".md") }
        #expect(guides.count > 10)
        for guide in guides {
            let url = Self.documentation.appending(path: guide)
            let text = try String(contentsOf: url, encoding: .utf8)
            for link in text.matches(of: /\]\(([^)#:]+)\)/).map({ String($0.output.1) }) {
                let target = url.deletingLastPathComponent().appending(path: link).standardizedFileURL
                #expect(manager.fileExists(atPath: target.path), "\(guide): \(link)")
            }
        }
    }
}
