import Foundation
import Testing

/// Compares the list of SwiftData's members, the table that describes them, and the sources that use them.
@Suite struct MembersTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let repository = package.deletingLastPathComponent().deletingLastPathComponent()

    /// A row of the table in Documentation/Moving.md.
    private struct Row {
        let member: String
        let status: String
        let explanation: String
    }

    @Test func everyMemberHasOneRow() throws {
        let members = try Self.members()
        #expect(Self.duplicates(in: members) == [])
        let rows = try Self.rows().map(\.member)
        #expect(Self.duplicates(in: rows) == [])
        #expect(rows.sorted() == members.sorted())
    }

    @Test func everyDifferenceIsExplained() throws {
        for row in try Self.rows() {
            #expect(["same", "different", "missing", "impossible"].contains(row.status), "\(row.member)")
            #expect((row.status == "same") == row.explanation.isEmpty, "\(row.member)")
        }
    }

    /// The sources of `Members` use what compiles unchanged according to the table, and nothing else.
    @Test func everyMemberThatExistsIsUsed() throws {
        let existing = try Self.rows().filter { ["same", "different"].contains($0.status) }.map(\.member)
        #expect(try Self.usedMembers().sorted() == existing.sorted())
    }

    private static func members() throws -> [String] {
        let list = try String(contentsOf: package.appendingPathComponent("SwiftData.members"), encoding: .utf8)
        return list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    private static func rows() throws -> [Row] {
        let page = try String(
            contentsOf: repository.appendingPathComponent("Documentation/Moving.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            // The members are in code voice, unlike the cells of the heading: | `ModelContext.save()` | same |
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard cells.count == 2 else { return Row(member: String(line), status: "", explanation: "") }
            let parts = cells[1].split(separator: ":", maxSplits: 1)
            return Row(
                member: cells[0].replacingOccurrences(of: "`", with: ""), status: String(parts[0]),
                explanation: parts.count == 1 ? "" : parts[1].trimmingCharacters(in: .whitespaces))
        }
    }

    private static func usedMembers() throws -> [String] {
        let folder = package.appendingPathComponent("Sources/Members")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap {
            file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
                line.range(of: "//= ").map { String(line[$0.upperBound...]) }
            }
        }
    }

    private static func duplicates(in names: [String]) -> [String] {
        Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    }
}
