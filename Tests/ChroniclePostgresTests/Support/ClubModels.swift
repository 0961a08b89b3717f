#if Postgres
    import Chronicle
    import Foundation

    /// Models with relationships of every kind, unique values, a subclass, and values that the databases store in different
    /// ways. Each model has a code by which the rows of several stores are compared.
    @Model class Member {
        @Attribute(.unique) var code: String
        var name: String
        var club: Club?
        init(_ code: String, _ name: String) {
            self.code = code
            self.name = name
        }
    }

    @Model final class Player: Member {
        var goals: Int?
        @Relationship var idols: [Member] = []
    }

    @Model final class Club {
        #Unique<Club>([\.city, \.number])
        @Attribute(.unique) var code: String
        var city: String
        var number: Int
        var note: String?
        var score: Double?
        var founded: Date?
        var badge: Data?
        var key: UUID?
        var colors: [String] = []
        var fee: Decimal = 0
        @Relationship(deleteRule: .cascade, inverse: \Member.club) var members: [Member] = []
        @Relationship(inverse: \Sponsor.clubs) var sponsors: [Sponsor] = []
        var rivals: [Club] = []
        var captain: Member?
        var stadium: Stadium?
        init(_ code: String, city: String, number: Int) {
            self.code = code
            self.city = city
            self.number = number
        }
    }

    @Model final class Sponsor {
        @Attribute(.unique) var code: String
        var amount: Int
        var clubs: [Club] = []
        init(_ code: String, _ amount: Int) {
            self.code = code
            self.amount = amount
        }
    }

    @Model final class Stadium {
        @Attribute(.unique) var code: String
        @Relationship(deleteRule: .deny, inverse: \Club.stadium) var clubs: [Club] = []
        init(_ code: String) { self.code = code }
    }

    let clubModels: [any PersistentModel.Type] = [Club.self, Member.self, Player.self, Sponsor.self, Stadium.self]
#endif
