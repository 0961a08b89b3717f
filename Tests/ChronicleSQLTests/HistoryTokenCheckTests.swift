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

    @Test func positionWithinUnsealedChangesHasNoCheckValue() {
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
