import ChronicleCore
import Foundation
import Testing

@testable import ChronicleStore

/// Which tokens can be continued from, by what the file says of their positions.
@Suite struct HistoryTokenCheckTests {
    private typealias Check = HistoryTokenCheck
    private typealias Facts = HistoryPositionFacts

    @Test func aTokenWithoutAPositionIsOfAnotherStore() {
        #expect(Check.failure(position: nil, check: nil, Facts(newest: 10, row: .change)) == .ofAnotherStore)
        #expect(Check.failure(position: nil, check: 7, Facts()) == .ofAnotherStore)
    }

    @Test func aPositionThatWasNeverReachedIsAhead() {
        #expect(Check.failure(position: 11, check: 7, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: 11, check: nil, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: .max, check: nil, Facts(newest: 10)) == .ahead)
        #expect(Check.failure(position: 1, check: nil, Facts()) == .ahead)
    }

    @Test func aPositionBeforeTheFloorIsExpired() {
        let facts = Facts(newest: 20, floor: 10, floorCheck: 7, row: .header(check: 5))
        #expect(Check.failure(position: 8, check: 5, facts) == .expired)
        #expect(Check.failure(position: 8, check: nil, facts) == .expired)
        #expect(Check.failure(position: 9, check: 5, facts) == .expired)
        #expect(Check.failure(position: 0, check: nil, facts) == .expired)
    }

    @Test func theFloorIsExact() {
        let facts = Facts(newest: 20, floor: 10, floorCheck: 7, row: .none)
        #expect(Check.failure(position: 10, check: 7, facts) == nil)
        #expect(Check.failure(position: 10, check: 8, facts) == .forked)
        #expect(Check.failure(position: 10, check: nil, facts) == nil)
    }

    @Test func whoHasSeenTheLastChangeBeforeTheFloorHasSeenAll() {
        let facts = Facts(newest: 20, floor: 10, floorCheck: 7, row: .none)
        #expect(Check.failure(position: 9, check: nil, facts) == nil)
    }

    @Test func aPositionBeforeAGapIsOfNoUse() {
        let facts = Facts(newest: 20, gap: 10, row: .header(check: 5))
        #expect(Check.failure(position: 9, check: 5, facts) == .gap)
        #expect(Check.failure(position: 9, check: nil, facts) == .gap)
        #expect(Check.failure(position: 10, check: 5, facts) == nil)
    }

    @Test func deletedBeforeAGapIsExpired() {
        let facts = Facts(newest: 20, floor: 8, floorCheck: 1, gap: 10, row: .none)
        #expect(Check.failure(position: 7, check: 1, facts) == .expired)
        #expect(Check.failure(position: 8, check: 1, facts) == .gap)
    }

    @Test func anotherRowAtThePositionIsAFork() {
        #expect(Check.failure(position: 5, check: 1, Facts(newest: 9, row: .header(check: 1))) == nil)
        #expect(Check.failure(position: 5, check: 1, Facts(newest: 9, row: .header(check: 2))) == .forked)
        #expect(Check.failure(position: 5, check: 1, Facts(newest: 9, row: .change)) == .forked)
        #expect(Check.failure(position: 5, check: 1, Facts(newest: 9, row: .none)) == .forked)
        #expect(Check.failure(position: 5, check: nil, Facts(newest: 9, row: .none)) == .forked)
    }

    @Test func aPositionInsideOfUnsealedChangesIsABareNumber() {
        #expect(Check.failure(position: 5, check: nil, Facts(newest: 9, row: .change)) == nil)
        #expect(Check.failure(position: 5, check: nil, Facts(newest: 9, row: .header(check: 3))) == nil)
        #expect(Check.failure(position: 5, check: nil, Facts(newest: 9, row: .partOfChange)) == .forked)
    }

    @Test func theBeginningIsAPosition() {
        #expect(Check.failure(position: 0, check: nil, Facts()) == nil)
        #expect(Check.failure(position: 0, check: nil, Facts(newest: 9)) == nil)
        #expect(Check.failure(position: 0, check: 4, Facts(newest: 9)) == .forked)
        #expect(Check.failure(position: 0, check: nil, Facts(newest: 9, gap: 1)) == .gap)
    }

    @Test func positionsThatNoStoreGivesAreForked() {
        #expect(Check.failure(position: -1, check: nil, Facts()) == .forked)
        #expect(Check.failure(position: .min, check: 3, Facts(newest: 9, floor: 5)) == .forked)
    }

    @Test(arguments: [
        (Check.Failure.ofAnotherStore, "store"), (.ahead, "12"), (.expired, "floor 7"), (.gap, "8"), (.forked, "12"),
    ])
    private func theErrorSaysWhatToDo(_ failure: Check.Failure, _ word: String) throws {
        let error = Check.error(failure, position: 12, Facts(newest: 9, floor: 7, gap: 8))
        let detail = try #require(error.detail)
        #expect(detail.contains("fetch the models again"))
        #expect(detail.contains(word.replacing("floor ", with: "")))
    }
}
