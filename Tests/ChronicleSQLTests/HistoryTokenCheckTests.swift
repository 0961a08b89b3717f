import ChronicleCore
import ChronicleSQLStore
import Testing

/// The tokens that reading can continue from, given the facts about their positions.
@Suite struct HistoryTokenCheckTests {
    private let check = HistoryTokenCheck(hasHeaders: true, causeOfLoss: "a power failure")
    /// The check of a store whose transactions take one position each.
    private let checkWithoutHeaders = HistoryTokenCheck(hasHeaders: false, causeOfLoss: "a restored backup")
    private typealias Facts = HistoryPositionFacts

    @Test func tokenWithoutAPositionIsOfAnotherStore() {
        #expect(check.failure(position: nil, checkValue: nil, Facts(newest: 10, row: .change)) == .ofAnotherStore)
        #expect(check.failure(position: nil, checkValue: 7, Facts()) == .ofAnotherStore)
    }

    @Test func positionAfterTheNewestIsAhead() {
        #expect(check.failure(position: 11, checkValue: 7, Facts(newest: 10)) == .ahead)
        #expect(check.failure(position: 11, checkValue: nil, Facts(newest: 10)) == .ahead)
        #expect(check.failure(position: .max, checkValue: nil, Facts(newest: 10)) == .ahead)
        #expect(check.failure(position: 1, checkValue: nil, Facts()) == .ahead)
    }

    @Test func positionBeforeTheFloorIsExpired() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .header(checkValue: 5))
        #expect(check.failure(position: 8, checkValue: 5, facts) == .expired)
        #expect(check.failure(position: 8, checkValue: nil, facts) == .expired)
        #expect(check.failure(position: 9, checkValue: 5, facts) == .expired)
        #expect(check.failure(position: 0, checkValue: nil, facts) == .expired)
    }

    @Test func positionAtTheFloorComparesCheckValues() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .none)
        #expect(check.failure(position: 10, checkValue: 7, facts) == nil)
        #expect(check.failure(position: 10, checkValue: 8, facts) == .forked)
        #expect(check.failure(position: 10, checkValue: nil, facts) == nil)
    }

    @Test func positionBeforeTheFloorHeaderIsValidWithoutACheckValue() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .none)
        #expect(check.failure(position: 9, checkValue: nil, facts) == nil)
    }

    @Test func positionBeforeTheFloorIsExpiredWithoutHeaders() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .change)
        #expect(checkWithoutHeaders.failure(position: 9, checkValue: nil, facts) == .expired)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: nil, facts) == nil)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: 7, facts) == nil)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: 8, facts) == .forked)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: 7, isInclusive: true, facts) == .expired)
        #expect(checkWithoutHeaders.failure(position: 0, checkValue: nil, Facts(newest: 20, floor: 1)) == .expired)
    }

    /// Transactions 5 to 19 remain in part.
    private func factsBelowFloor(_ row: Facts.Row) throws -> Facts {
        var facts = Facts(newest: 30, floor: 20, floorCheckValue: 9, row: row)
        let deletions = try #require(
            SelectiveDeletions(#"{"floor":20,"beginning":4,"beginningCheckValue":7,"authors":[]}"#, floor: 20))
        facts.deletions = deletions
        return facts
    }

    @Test func remainingPositionBeforeTheFloorIsValidIfDeletionsAreSkipped() throws {
        let facts = try factsBelowFloor(.header(checkValue: 5))
        #expect(check.failure(position: 10, checkValue: 5, facts) == .expired)
        #expect(check.failure(position: 10, checkValue: 5, facts, skipsDeletions: true) == nil)
        #expect(check.failure(position: 10, checkValue: nil, facts, skipsDeletions: true) == nil)
        #expect(check.failure(position: 10, checkValue: 6, facts, skipsDeletions: true) == .forked)
        #expect(check.failure(position: 10, checkValue: 5, isInclusive: true, facts, skipsDeletions: true) == nil)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: 5, facts, skipsDeletions: true) == nil)
        var incomplete = facts
        incomplete.deletions = nil
        #expect(check.failure(position: 10, checkValue: 5, incomplete, skipsDeletions: true) == .expired)
        incomplete = facts
        incomplete.gap = 15
        #expect(check.failure(position: 10, checkValue: 5, incomplete, skipsDeletions: true) == .gap)
    }

    @Test func deletedPositionBeforeTheFloorIsExpired() throws {
        let none = try factsBelowFloor(.none)
        #expect(check.failure(position: 10, checkValue: 5, none, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 10, checkValue: nil, none, skipsDeletions: true) == .expired)
        // The fact about a position without a transaction, in a store without headers.
        let change = try factsBelowFloor(.change)
        #expect(checkWithoutHeaders.failure(position: 10, checkValue: nil, change, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 10, checkValue: nil, change, skipsDeletions: true) == nil)
        #expect(check.failure(position: 10, checkValue: 5, change, skipsDeletions: true) == .forked)
        let void = try factsBelowFloor(.void(checkValue: 5))
        #expect(check.failure(position: 10, checkValue: 5, void, skipsDeletions: true) == nil)
        #expect(check.failure(position: 10, checkValue: 5, isInclusive: true, void, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 10, checkValue: 6, void, skipsDeletions: true) == .forked)
    }

    @Test func deletedBeginningIsLikeAFloor() throws {
        let facts = try factsBelowFloor(.none)
        #expect(check.failure(position: 4, checkValue: 7, facts, skipsDeletions: true) == nil)
        #expect(check.failure(position: 4, checkValue: 7, isInclusive: true, facts, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 4, checkValue: 8, facts, skipsDeletions: true) == .forked)
        #expect(check.failure(position: 3, checkValue: nil, facts, skipsDeletions: true) == nil)
        #expect(check.failure(position: 3, checkValue: 7, facts, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 2, checkValue: nil, facts, skipsDeletions: true) == .expired)
        #expect(checkWithoutHeaders.failure(position: 3, checkValue: nil, facts, skipsDeletions: true) == .expired)
        #expect(check.failure(position: 20, checkValue: 9, facts, skipsDeletions: true) == nil)
        #expect(check.failure(position: 20, checkValue: 5, facts, skipsDeletions: true) == .forked)
        #expect(check.failure(position: 31, checkValue: 5, facts, skipsDeletions: true) == .ahead)
    }

    @Test func deletionsOfUnselectedAuthorsAreSkipped() throws {
        let row = #"{"floor":20,"beginning":4,"authors":[{"name":"a","newest":20},{"newest":12}]}"#
        let deletions = try #require(SelectiveDeletions(row, floor: 20))
        let isA = SkippedDeletions.unselected { $0 == "a" }
        #expect(try !isA.skips(deletions, after: 11))
        #expect(try isA.skips(deletions, after: 12))
        #expect(
            try SkippedDeletions.all.skips(deletions, after: 5) && !SkippedDeletions.none.skips(deletions, after: 19))
        let unknown = try #require(SelectiveDeletions(#"{"floor":20,"beginning":4}"#, floor: 20))
        #expect(try !isA.skips(unknown, after: 19))
        #expect(SelectiveDeletions(row, floor: 21) == nil)
    }

    @Test func missingTransactionIsAheadExpiredOrForked() {
        let facts = Facts(newest: 20, floor: 10)
        #expect(HistoryTokenCheck.failure(ofMissing: 21, facts) == .ahead)
        #expect(HistoryTokenCheck.failure(ofMissing: 10, facts) == .expired)
        #expect(HistoryTokenCheck.failure(ofMissing: 11, facts) == .forked)
    }

    @Test func positionBeforeAGapIsAGap() {
        let facts = Facts(newest: 20, gap: 10, row: .header(checkValue: 5))
        #expect(check.failure(position: 9, checkValue: 5, facts) == .gap)
        #expect(check.failure(position: 9, checkValue: nil, facts) == .gap)
        #expect(check.failure(position: 10, checkValue: 5, facts) == nil)
    }

    @Test func deletedPositionBeforeAGapIsExpired() {
        let facts = Facts(newest: 20, floor: 8, floorCheckValue: 1, gap: 10, row: .none)
        #expect(check.failure(position: 7, checkValue: 1, facts) == .expired)
        #expect(check.failure(position: 8, checkValue: 1, facts) == .gap)
    }

    @Test func anotherRowAtThePositionIsForked() {
        #expect(check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .header(checkValue: 1))) == nil)
        #expect(check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .header(checkValue: 2))) == .forked)
        #expect(check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .change)) == .forked)
        #expect(check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .none)) == .forked)
        #expect(check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .none)) == .forked)
    }

    @Test func positionWithinUngroupedChangesHasNoCheckValue() {
        #expect(check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .change)) == nil)
        #expect(check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .header(checkValue: 3))) == nil)
        #expect(check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .partOfChange)) == .forked)
    }

    @Test func beginningIsAPosition() {
        #expect(check.failure(position: 0, checkValue: nil, Facts()) == nil)
        #expect(check.failure(position: 0, checkValue: nil, Facts(newest: 9)) == nil)
        #expect(check.failure(position: 0, checkValue: 4, Facts(newest: 9)) == .forked)
        #expect(check.failure(position: 0, checkValue: nil, Facts(newest: 9, gap: 1)) == .gap)
    }

    @Test func negativePositionsAreForked() {
        #expect(check.failure(position: -1, checkValue: nil, Facts()) == .forked)
        #expect(check.failure(position: .min, checkValue: 3, Facts(newest: 9, floor: 5)) == .forked)
    }

    @Test(arguments: [
        (HistoryTokenCheck.Failure.ofAnotherStore, "store"), (.ahead, "12"), (.expired, "floor 7"), (.gap, "8"),
        (.forked, "12"),
    ])
    private func errorRecommendsWhatToDo(_ failure: HistoryTokenCheck.Failure, _ word: String) throws {
        let error = check.error(failure, position: 12, Facts(newest: 9, floor: 7, gap: 8))
        let detail = try #require(error.detail)
        #expect(detail.contains("fetch the models again"))
        #expect(detail.contains(word.replacing("floor ", with: "")))
    }
}
