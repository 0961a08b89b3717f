import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

/// What `localizedDescription` and `print` say about an error: the model or the file, what happened, and what to do.
@Suite struct ErrorDescriptionTests {
    /// The verbs with which a remedy begins.
    private static let verbs = [
        "add", "assign", "avoid", "change", "check", "choose", "conform", "correct", "create", "declare", "discard",
        "enable", "exclude", "fetch", "free", "give", "keep", "load", "make", "move", "open", "pass", "replay",
        "request", "restore", "rewrite", "roll", "save", "sort", "specify", "try", "undo", "update", "use",
    ]

    private func hasRemedy(_ text: String) -> Bool {
        text.components(separatedBy: "; ").dropFirst().contains { part in
            Self.verbs.contains(String(part.prefix { $0.isLetter }))
        }
    }

    @Test(arguments: SwiftDataError.Code.allCases)
    func everyKindIsExplained(_ code: SwiftDataError.Code) {
        let bare = SwiftDataError(code)
        #expect(bare.code == code && bare.localizedDescription.hasPrefix("\(code.rawValue): "))
        #expect(hasRemedy(bare.localizedDescription), "\(bare.localizedDescription)")
        let error: any Error = bare.with(entityName: "Book", propertyName: "title", storeName: "Library")
        #expect(error.localizedDescription == "\(error)")
        #expect(error.localizedDescription.contains("Book.title") && error.localizedDescription.contains("Library"))
        #expect(hasRemedy(error.localizedDescription))
        // A detail replaces the general explanation.
        let detailed = bare.with(detail: "it is late; try again tomorrow")
        #expect(detailed.localizedDescription == "\(code.rawValue): it is late; try again tomorrow")
    }

    /// The message of a database is not an explanation.
    @Test func causesDoNotReplaceTheExplanation() {
        let cause = SwiftDataError.storeFailure.with(detail: "database is locked; try again")
        let error = SwiftDataError.storeBusy.with(detail: "database is locked", underlying: cause)
        #expect(error.description.contains("another connection locked the store"))
        #expect(error.description.contains("(cause: storeFailure: database is locked; try again)"))
    }

    /// A program can handle kinds that it does not know.
    @Test func codesAreForSwitches() {
        func answer(_ error: SwiftDataError) -> String {
            switch error.code {
            case .storeBusy: "again"
            case .historyTokenGap, .historyTokenExpired: "start over"
            default: "report"
            }
        }
        let errors: [SwiftDataError] = [.storeBusy, .historyTokenGap, .historyTokenExpired, .storeFull]
        #expect(errors.map(answer) == ["again", "start over", "start over", "report"])
        #expect(Set(SwiftDataError.Code.allCases.map(\.rawValue)).count == SwiftDataError.Code.allCases.count)
    }

    // MARK: Thrown errors

    private func description(_ kind: SwiftDataError, _ body: () throws -> Void) throws -> String {
        let error = try #require(throws: SwiftDataError.self, performing: body)
        #expect(error == kind)
        #expect(hasRemedy(error.localizedDescription), "\(error.localizedDescription)")
        return error.localizedDescription
    }

    @Test(arguments: StoreKind.allCases)
    func modelsOfOtherContexts(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (first, second) = (store.context(), store.context())
        let trip = try #require(try store.add("a", in: first).first)
        let inserting = try description(.contextMismatch) {
            second.insert(trip)
            try second.save()
        }
        #expect(inserting.contains("(Trip/1)") && inserting.contains("another context"))
        second.rollback()
        let assigning = try description(.contextMismatch) {
            let home = LivingAccommodation(placeName: "x")
            second.insert(home)
            home.trip = trip
            try second.save()
        }
        #expect(assigning.contains("another context"), "\(assigning)")
        second.rollback()
        first.delete(trip)
        try first.save()
        let missing = try description(.modelNotFound) {
            _ = try second.existingModel(for: trip.persistentModelID)
        }
        #expect(missing.contains("(Trip/1)") && missing.contains("fetch the models again"))
    }

    /// The description says which of the two models to replace, and where an unsaved one can be found.
    @Test(arguments: StoreKind.allCases)
    func destinationsThatCannotBeAssigned(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (first, second) = (store.context(), store.context())
        let unsaved = try description(.contextMismatch) {
            let item = BucketListItem(title: "x")
            first.insert(item)
            second.insert(item)
            try second.save()
        }
        #expect(unsaved.contains("save it there first"), "\(unsaved)")
        second.rollback()
        first.rollback()
        let trip = try #require(try store.add("a", in: first).first)
        first.delete(trip)
        try first.save()
        let deleted = try description(.modelNotFound) {
            let item = BucketListItem(title: "x")
            first.insert(item)
            item.trip = trip
            try first.save()
        }
        #expect(deleted.contains("BucketListItem.trip"), "\(deleted)")
        #expect(deleted.contains("the destination Trip/1 was deleted; assign another model"), "\(deleted)")
    }

    @Test func computedPropertiesInPredicates() throws {
        let context = try TestStore(.inMemory).context()
        let text = try description(.unsupportedPredicate) {
            _ = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.hasChanges }))
        }
        #expect(text.contains("a computed property of Trip") && !text.contains("KeyPath") && !text.contains("0x"))
    }
}
