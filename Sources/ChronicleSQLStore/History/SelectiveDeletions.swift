import Foundation

/// Which transactions below the floor were deleted: a row of `chronicle_meta`, while the floor is after the deleted beginning
/// of the history. See `Documentation/Design/0002-tokens-and-floor.md` for the rationale.
package struct SelectiveDeletions: Codable, Hashable, Sendable {
    /// The deleted transactions of an author.
    package struct Author: Codable, Hashable, Sendable {
        /// `nil` for transactions without an author.
        package var name: String?
        /// The highest position.
        package var newest: Int64

        package init(name: String?, newest: Int64) { (self.name, self.newest) = (name, newest) }
    }

    /// The floor when the row was written. If it is another one, a program that does not write the row has deleted history.
    package private(set) var floor: Int64
    /// The last position of the deleted beginning of the history, or 0.
    package private(set) var beginning: Int64
    package private(set) var beginningCheckValue: Int64?
    /// The authors of deleted transactions after the beginning, or `nil` if there are too many.
    package private(set) var authors: [Author]?

    /// The number of authors, and the bytes of their names, of which a row can consist.
    package static let maximumAuthors = 64
    private static let maximumBytes = 4_096

    /// Everything before the floor counts as deleted.
    package init(floor: Int64, checkValue: Int64?) {
        self.floor = floor
        (beginning, beginningCheckValue, authors) = (floor, checkValue, [])
    }

    /// `nil` if the row is missing, was not written for this floor, or is invalid.
    package init?(_ text: String?, floor: Int64) {
        guard let row = text.flatMap(Self.unchecked), row.floor == floor, row.beginning >= 0, row.beginning < floor
        else {
            return nil
        }
        self = row
    }

    /// `nil` if the text is no such row.
    package static func unchecked(_ text: String) -> SelectiveDeletions? {
        do { return try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch { return nil }
    }

    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Returns the deletions after another one, or `nil` if the deleted beginning ends at the new floor.
    ///
    /// - Parameters:
    ///   - beginning: The last of the deleted transactions before which none remains.
    ///   - authors: The authors of the deleted transactions, or `nil` if there are too many.
    package func adding(
        floor: Int64, beginning: (position: Int64, checkValue: Int64)?, authors added: [Author]?
    ) -> SelectiveDeletions? {
        var result = self
        result.floor = max(self.floor, floor)
        if let beginning, beginning.position > self.beginning {
            (result.beginning, result.beginningCheckValue) = beginning
        }
        guard result.beginning < result.floor else { return nil }
        result.authors = authors.flatMap { known in
            added.flatMap { Self.merged(known + $0, after: result.beginning) }
        }
        return result
    }

    private static func merged(_ authors: [Author], after beginning: Int64) -> [Author]? {
        var merged: [Author] = []
        for author in authors where author.newest > beginning {
            if let index = merged.firstIndex(where: { $0.hasName(of: author) }) {
                merged[index].newest = max(merged[index].newest, author.newest)
            } else {
                merged.append(author)
            }
            if merged.count > maximumAuthors { return nil }
        }
        let bytes = merged.reduce(0) { $0 + ($1.name?.utf8.count ?? 0) }
        return bytes > maximumBytes ? nil : merged
    }
}

extension SelectiveDeletions.Author {
    /// The stores compare the bytes of texts.
    fileprivate func hasName(of other: Self) -> Bool {
        guard let name, let otherName = other.name else { return name == nil && other.name == nil }
        return name.utf8.elementsEqual(otherName.utf8)
    }
}

/// The deleted transactions after a token of which a reader does not need to know.
package enum SkippedDeletions {
    case none
    /// Those between transactions that remain.
    case all
    /// The same, if the reader does not select their authors.
    case unselected((_ author: String?) throws -> Bool)

    package func skips(_ deletions: SelectiveDeletions, after position: Int64) throws -> Bool {
        switch self {
        case .none: return false
        case .all: return true
        case .unselected(let isUnselected):
            guard let authors = deletions.authors else { return false }
            return try authors.allSatisfy { try $0.newest <= position || isUnselected($0.name) }
        }
    }
}
