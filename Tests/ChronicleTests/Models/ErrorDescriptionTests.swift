import Chronicle
import Foundation
import Testing

/// Values of models are in no description of an error, whatever a type's own errors say.
@Suite struct ErrorDescriptionTests {
    /// Cannot be encoded, and says with what it has.
    struct Secret: Codable, Equatable {
        let text: String

        init(_ text: String) { self.text = text }

        init(from decoder: any Decoder) throws { text = "" }

        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                text, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "refused: \(text)"))
        }
    }

    @Model final class Letter {
        var secret: Secret

        init(_ secret: Secret) { self.secret = secret }
    }

    private func expectNoValue(in error: SwiftDataError, _ location: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(error, to: &dumped)
        let texts = [
            "\(error)", String(reflecting: error), dumped, error.localizedDescription, "\(Mirror(reflecting: error))",
            "\([error] as [any Error])", "\(Result<Int, any Error>.failure(error))",
        ]
        for text in texts { #expect(!text.contains("hunter2"), sourceLocation: location) }
        #expect("\(error)".contains("EncodingError"), sourceLocation: location)
        // Who asks for it gets it.
        guard case .invalidValue(let value, _)? = error.underlying as? EncodingError else {
            Issue.record("the underlying error is \(type(of: error.underlying))", sourceLocation: location)
            return
        }
        #expect(value as? String == "hunter2", sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases) func aValueThatCannotBeSaved(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Letter.self])
        let context = store.context()
        context.insert(Letter(Secret("hunter2")))
        let error = try #require(throws: SwiftDataError.self) { try context.save() }
        #expect(error == .modelValidationFailure && error.propertyName == "secret")
        expectNoValue(in: error)
    }

    @Test func aCapturedValueThatCannotBeStored() throws {
        let store = try TestStore(.inMemory, [Letter.self])
        let secret = Secret("hunter2")
        let error = try #require(throws: SwiftDataError.self) {
            try store.context().fetch(FetchDescriptor<Letter>(predicate: #Predicate { $0.secret == secret }))
        }
        #expect(error == .unsupportedPredicate)
        expectNoValue(in: error)
    }

    @Test func aValueThatAStoreEncodes() throws {
        let property = try #require(Schema(Letter.self).entitiesByName["Letter"]?.propertiesByName["secret"])
        let error = try #require(throws: SwiftDataError.self) { try property.encode(Secret("hunter2")) }
        expectNoValue(in: error)
    }
}
