import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Texts created from an error do not contain values of a model.
@Suite("Values in errors")
struct ErrorPrivacyTests {
    private static let secret = "hunter2"

    /// A type that throws an error with its value when it is encoded.
    struct Password: Codable, Hashable {
        var text: String

        init(_ text: String) { self.text = text }

        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                text, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "\(text) is too short"))
        }
    }

    final class Account: PersistentModel {
        @Attribute var name: String = ""
        @Attribute var password: Password?

        static let properties: PropertyMap<Account> = ["name": \.name, "password": \.password]
        static let uniqueness: Uniqueness<Account> = [[\.name]]
        let persistentBackingData: any BackingData<Account>
        init(backingData: any BackingData<Account>) { persistentBackingData = backingData }
        init(_ name: String = "", password: Password? = nil) {
            persistentBackingData = Account.createBackingData()
            self.name = name
            self.password = password
        }
    }

    struct Address: Codable, Hashable {
        var city: String
    }

    final class Contact: PersistentModel {
        @Attribute var addresses: [String: Address] = [:]

        static let properties: PropertyMap<Contact> = ["addresses": \.addresses]
        let persistentBackingData: any BackingData<Contact>
        init(backingData: any BackingData<Contact>) { persistentBackingData = backingData }
        init() { persistentBackingData = Contact.createBackingData() }
    }

    /// Every text that a program, a log, or a debugger creates from an error.
    private func texts(_ error: SwiftDataError) -> [String] {
        var dumped = ""
        dump(error, to: &dumped)
        var dumpedAny = ""
        dump(error as Any, to: &dumpedAny)
        let any: any Error = error
        return [
            "\(error)", error.description, error.debugDescription, String(reflecting: error),
            "\(Optional(error) as Any)",
            "\([error])", "\(Result<Int, SwiftDataError>.failure(error))", any.localizedDescription,
            "\(any as NSError)", (any as NSError).debugDescription, "\((any as NSError).userInfo)", dumped, dumpedAny,
        ]
    }

    private func expectNoValue(
        _ kind: SwiftDataError, _ location: SourceLocation = #_sourceLocation, _ call: () throws -> Void
    ) throws -> SwiftDataError {
        let error = try #require(throws: SwiftDataError.self, sourceLocation: location, performing: call)
        #expect(error == kind, sourceLocation: location)
        for text in texts(error) {
            #expect(!text.contains(Self.secret), "\(text)", sourceLocation: location)
        }
        return error
    }

    @Test("A value that cannot be encoded", arguments: StoreKind.allCases)
    func encoding(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Account.self]).context()
        let password = Password(Self.secret)
        let saving = try expectNoValue(.modelValidationFailure) {
            context.insert(Account(password: password))
            try context.save()
        }
        context.rollback()
        let property = try #require(context.container.schema.entities.first?.property(named: "password"))
        let encoding = try expectNoValue(.modelValidationFailure) { _ = try property.encode(password) }
        let fetching = try expectNoValue(.unsupportedPredicate) {
            _ = try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.password == password }))
        }
        for error in [saving, encoding, fetching] {
            // The description contains the failure; the debug description contains the rest.
            #expect("\(error)".contains("(cause: EncodingError)"))
            #expect((error.underlying as? EncodingError).map { "\($0)".contains(Self.secret) } == true)
        }
    }

    @Test("A duplicate unique value", arguments: StoreKind.allCases)
    func uniqueness(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Account.self]).context()
        let error = try expectNoValue(.uniquenessViolation) {
            context.insert(Account(Self.secret))
            try context.save()
            let other = ModelContext(context.container)
            other.insert(Account("other"))
            try other.save()
            let found = try #require(try other.fetch(FetchDescriptor<Account>()).last)
            found.name = Self.secret
            try other.save()
        }
        let cause = try #require(error.underlying as? DatabaseError)
        #expect(cause.resultCode == 19 && cause.sql?.contains("Account") == true)
        #expect("\(error)".split(separator: cause.message, omittingEmptySubsequences: false).count == 2, "\(error)")
    }

    @Test("Values of another type, and values stored by another program")
    func decoding() throws {
        let store = try TestStore(.file, [Account.self])
        let context = store.context()
        let name = try #require(context.container.schema.entities.first?.property(named: "name"))
        _ = try expectNoValue(.modelValidationFailure) { _ = try name.encode(Data(Self.secret.utf8)) }
        try store.shell("INSERT INTO Account(name, password) VALUES ('x', '\(Self.secret)')")
        _ = try expectNoValue(.undecodableValue) { _ = try context.fetch(FetchDescriptor<Account>()) }
    }

    @Test("Captured values in predicates")
    func predicates() throws {
        let context = try TestStore(.inMemory, [Account.self]).context()
        let secret = Self.secret
        _ = try expectNoValue(.unsupportedPredicate) {
            _ = try context.fetch(
                FetchDescriptor<Account>(predicate: #Predicate { $0.name.contains(secret) && $0.hasChanges }))
        }
        _ = try expectNoValue(.unsupportedPredicate) {
            _ = try context.fetch(
                FetchDescriptor<Account>(
                    predicate: #Predicate { account in [secret].filter { $0 == account.name }.count == 1 }))
        }
    }

    @Test("System errors are described by domain and code")
    func causes() {
        let cause = SwiftDataError.storeFailure.with(underlying: POSIXError(.ENOSPC))
        #expect(
            cause.description
                == "storeFailure: the store failed; check the cause and the disk, and try again (cause: POSIXError 28)")
        let nested = SwiftDataError.storeFailure.with(underlying: SwiftDataError.storeBusy.with(detail: "later"))
        #expect(nested.description.hasSuffix("(cause: storeBusy: later)"))
    }

    @Test func keysOfDictionariesAreHidden() throws {
        let file = try TemporaryDirectory().file("contacts.store")
        let container = try ModelContainer(for: Contact.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.insert(Contact())
        try context.save()
        _ = try Shell.sqlite3(file, #"UPDATE Contact SET addresses = '{"\#(Self.secret)":{}}'"#)
        let error = try expectNoValue(.undecodableValue) {
            _ = try ModelContext(container).fetch(FetchDescriptor<Contact>()).first?.addresses
        }
        #expect(error.description.contains("….city is missing"))
    }
}
