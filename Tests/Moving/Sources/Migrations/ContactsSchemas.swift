import Foundation
import SwiftData

public typealias Contact = ContactsSchemaV3.Contact

public enum ContactsSchemaV1: VersionedSchema {
    public static let versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model
    public final class Contact {
        public var fullName: String
        public var mail: String

        public init(fullName: String, mail: String) {
            self.fullName = fullName
            self.mail = mail
        }
    }
}

/// Adds groups, and a nickname.
public enum ContactsSchemaV2: VersionedSchema {
    public static let versionIdentifier = Schema.Version(2, 0, 0)
    public static var models: [any PersistentModel.Type] { [Contact.self, Group.self] }

    @Model
    public final class Contact {
        public var fullName: String
        public var mail: String
        public var nickname: String?
        public var group: Group?

        public init(fullName: String, mail: String) {
            self.fullName = fullName
            self.mail = mail
        }
    }

    @Model
    public final class Group {
        public var name: String
        @Relationship(inverse: \Contact.group) public var contacts: [Contact] = []

        public init(name: String) { self.name = name }
    }
}

/// Divides the name, and makes the address unique.
public enum ContactsSchemaV3: VersionedSchema {
    public static let versionIdentifier = Schema.Version(3, 0, 0)
    public static var models: [any PersistentModel.Type] { [Contact.self, Group.self] }

    @Model
    public final class Contact {
        @Attribute(.unique, originalName: "mail") public var address: String
        public var fullName: String
        public var givenName: String = ""
        public var familyName: String = ""
        public var nickname: String?
        public var group: Group?

        public init(address: String, givenName: String, familyName: String) {
            self.address = address
            self.givenName = givenName
            self.familyName = familyName
            fullName = "\(givenName) \(familyName)"
        }
    }

    @Model
    public final class Group {
        public var name: String
        @Relationship(inverse: \Contact.group) public var contacts: [Contact] = []

        public init(name: String) { self.name = name }
    }
}
