import ChronicleCore
import Foundation
import Testing

@testable import ChronicleStore

/// The tokens that reading can continue from, given the facts about their positions.
@Suite struct HistoryTokenCheckTests {
    private typealias Check = HistoryTokenCheck
    private typealias Facts = HistoryPositionFacts

    @Test func tokenWithoutAPositionIsOfAnotherStore() {
        #expect(Check.failure(position: nil, checkValue: nil, Facts(newest: 10, row: .change)) == .ofAnotherStore)
        #expect(Check.failure(position: nil, checkValue: 7, Facts()) == .ofAnotherStore)
    }

    @Test func positionAfterTheNewestIsAhead() {
        #expect(Check.failure(position: 11, checkValue: 7, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: 11, checkValue: nil, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: .max, checkValue: nil, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: 1, checkValue: nil, Facts()) == .ahead)
    }

    @Test func positionBeforeTheFloorIsExpired() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .header(checkValue: 5))
        #expect(Check.failure(position: 8, checkValue: 5, facts) == .expired)
        #expect(Check.failure(position: 8, checkValue: nil, facts) == .expired)
        #expect(Check.failure(position: 9, checkValue: 5, facts) == .expired)
        #expect(Check.failure(position: 0, checkValue: nil, facts) == .expired)
    }

    @Test func positionAtTheFloorComparesCheckValues() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .none)
        #expect(Check.failure(position: 10, checkValue: 7, facts) == nil)
        #expect(Check.failure(position: 10, checkValue: 8, facts) == .forked)
        #expect(Check.failure(position: 10, checkValue: nil, facts) == nil)
    }

    @Test func positionBeforeTheFloorHeaderIsValidWithoutACheckValue() {
        let facts = Facts(newest: 20, floor: 10, floorCheckValue: 7, row: .none)
        #expect(Check.failure(position: 9, checkValue: nil, facts) == nil)
    }

    @Test func positionBeforeAGapIsAGap() {
        let facts = Facts(newest: 20, gap: 10, row: .header(checkValue: 5))
        #expect(Check.failure(position: 9, checkValue: 5, facts) == .gap)
        #expect(Check.failure(position: 9, checkValue: nil, facts) == .gap)
        #expect(Check.failure(position: 10, checkValue: 5, facts) == nil)
    }

    @Test func deletedPositionBeforeAGapIsExpired() {
        let facts = Facts(newest: 20, floor: 8, floorCheckValue: 1, gap: 10, row: .none)
        #expect(Check.failure(position: 7, checkValue: 1, facts) == .expired)
        #expect(Check.failure(position: 8, checkValue: 1, facts) == .gap)
    }

    @Test func anotherRowAtThePositionIsForked() {
        #expect(Check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .header(checkValue: 1))) == nil)
        #expect(Check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .header(checkValue: 2))) == .forked)
        #expect(Check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .change)) == .forked)
        #expect(Check.failure(position: 5, checkValue: 1, Facts(newest: 9, row: .none)) == .forked)
        #expect(Check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .none)) == .forked)
    }

    @Test func positionWithinUnsealedChangesHasNoCheckValue() {
        #expect(Check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .change)) == nil)
        #expect(Check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .header(checkValue: 3))) == nil)
        #expect(Check.failure(position: 5, checkValue: nil, Facts(newest: 9, row: .partOfChange)) == .forked)
    }

    @Test func beginningIsAPosition() {
        #expect(Check.failure(position: 0, checkValue: nil, Facts()) == nil)
        #expect(Check.failure(position: 0, checkValue: nil, Facts(newest: 9)) == nil)
        #expect(Check.failure(position: 0, checkValue: 4, Facts(newest: 9)) == .forked)
        #expect(Check.failure(position: 0, checkValue: nil, Facts(newest: 9, gap: 1)) == .gap)
    }

    @Test func negativePositionsAreForked() {
        #expect(Check.failure(position: -1, checkValue: nil, Facts()) == .forked)
        #expect(Check.failure(position: .min, checkValue: 3, Facts(newest: 9, floor: 5)) == .forked)
    }

    @Test(arguments: [
        (Check.Failure.ofAnotherStore, "store"), (.ahead, "12"), (.expired, "floor 7"), (.gap, "8"), (.forked, "12"),
    ])
    private func errorRecommendsWhatToDo(_ failure: Check.Failure, _ word: String) throws {
        let error = Check.error(failure, position: 12, Facts(newest: 9, floor: 7, gap: 8))
        let detail = try #require(error.detail)
        #expect(detail.contains("fetch the models again"))
        #expect(detail.contains(word.replacing("floor ", with: "")))
    }
}
