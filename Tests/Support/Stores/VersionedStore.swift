package import Chronicle

/// A store that a program opens with one version of its models after the other.
///
/// The checks return a description of each failure.
package struct VersionedStore {
    /// What changes from one version to the next.
    package enum Change: CaseIterable, Sendable {
        case removedCascade, removedDenial, removedCascadeOfLinks, removedDenialOfLinks
        case requiredRelationshipOfSubclass
        case attributeWithTheNameOfARemovedSide, attributeInStage, attributeInPlaceOfASide
        case separatedSides, separatedAndRenamedSides, separatedSidesWithAReference
        case returningValueInReadOnlyStore, returningLinksInReadOnlyStore
        case columnOfSibling, renameOfAColumnWithTheNameOfLinks
        case listInPlaceOfAReferenceOfSiblings, listWithoutAFormerSibling, listWithoutAnEarlierSibling
        case listWithoutASiblingThatHadTheReference
        case referenceWhoseNameAListReceives
        case requiredValuesWithoutConstraint, constraintOnReturningProperty, returningReference
    }

    package typealias Open = (
        _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ allowsSave: Bool
    ) throws -> ModelContainer

    private let container: Open
    private let sql: (String) throws -> String

    /// - Parameters:
    ///   - open: Opens the store with a schema.
    ///   - sql: Runs statements of another program.
    package init(open: @escaping Open, sql: @escaping (String) throws -> String) {
        (container, self.sql) = (open, sql)
    }

    private func open(_ models: any PersistentModel.Type..., allowsSave: Bool = true) throws -> ModelContext {
        ModelContext(try container(Schema(models), nil, allowsSave))
    }

    private func open(
        _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        ModelContext(try container(Schema(versionedSchema: version), plan, true))
    }

    private func failure(_ description: String, unless isExpected: Bool) -> [String] {
        isExpected ? [] : [description]
    }

    private func expect(_ kind: SwiftDataError, _ body: () throws -> Void) throws -> [String] {
        do { try body() } catch let error as SwiftDataError { return failure("\(error)", unless: error == kind) }
        return ["no error"]
    }

    // MARK: Checks

    package func check(_ change: Change) throws -> [String] {
        switch change {
        case .removedCascade, .removedDenial, .removedCascadeOfLinks, .removedDenialOfLinks:
            try insertAuthor(change)
            return try checkThatRulesAreRemoved()
        case .requiredRelationshipOfSubclass: return try checkRequiredRelationship()
        case .attributeWithTheNameOfARemovedSide, .attributeInStage, .attributeInPlaceOfASide:
            return try checkThatTheOtherSideRemains(change)
        case .separatedSides, .separatedAndRenamedSides, .separatedSidesWithAReference:
            return try checkSeparatedSides(change)
        case .returningValueInReadOnlyStore: return try checkReadOnlyValue()
        case .returningLinksInReadOnlyStore: return try checkReadOnlyLinks()
        case .columnOfSibling: return try checkColumnOfSibling()
        case .listInPlaceOfAReferenceOfSiblings, .listWithoutAFormerSibling, .listWithoutAnEarlierSibling,
            .listWithoutASiblingThatHadTheReference:
            return try checkMovedReference(change)
        case .renameOfAColumnWithTheNameOfLinks: return try checkRenamedColumn()
        case .referenceWhoseNameAListReceives: return try checkHistoryOfSuccessors()
        case .requiredValuesWithoutConstraint: return try checkRequiredValues()
        case .constraintOnReturningProperty: return try checkConstraint()
        case .returningReference: return try checkReference()
        }
    }

    private func insertAuthor(_ change: Change) throws {
        let context: ModelContext
        switch change {
        case .removedCascade:
            context = try open(Cascading.Author.self, Cascading.Text.self)
            let (author, text) = (Cascading.Author(), Cascading.Text())
            for model in [author, text] as [any PersistentModel] { context.insert(model) }
            text.author = author
        case .removedDenial:
            context = try open(Denying.Author.self, Denying.Text.self)
            let (author, text) = (Denying.Author(), Denying.Text())
            for model in [author, text] as [any PersistentModel] { context.insert(model) }
            text.author = author
        case .removedCascadeOfLinks:
            context = try open(CascadingLinks.Author.self, CascadingLinks.Text.self)
            let (author, text) = (CascadingLinks.Author(), CascadingLinks.Text())
            for model in [author, text] as [any PersistentModel] { context.insert(model) }
            author.texts = [text]
        default:
            context = try open(DenyingLinks.Author.self, DenyingLinks.Text.self)
            let (author, text) = (DenyingLinks.Author(), DenyingLinks.Text())
            for model in [author, text] as [any PersistentModel] { context.insert(model) }
            author.texts = [text]
        }
        try context.save()
    }

    private func checkThatRulesAreRemoved() throws -> [String] {
        let context = try open(Unrelated.Author.self, Unrelated.Text.self)
        for author in try context.fetch(FetchDescriptor<Unrelated.Author>()) { context.delete(author) }
        try context.save()
        let count = try context.fetchCount(FetchDescriptor<Unrelated.Text>())
        return failure("\(count) texts", unless: count == 1)
    }

    private func checkRequiredRelationship() throws -> [String] {
        let context = try open(
            RequiredInSubclass.Trip.self, RequiredInSubclass.Leg.self, RequiredInSubclass.Flight.self)
        let trip = RequiredInSubclass.Trip()
        context.insert(trip)
        context.insert(RequiredInSubclass.Flight(trip))
        try context.save()
        context.delete(trip)
        var failures = try expect(.deleteDenied) { try context.save() }
        context.rollback()
        failures += try expect(.deleteDenied) {
            try context.delete(model: RequiredInSubclass.Trip.self)
            try context.save()
        }
        context.rollback()
        for flight in try context.fetch(FetchDescriptor<RequiredInSubclass.Flight>()) { context.delete(flight) }
        context.delete(trip)
        try context.save()
        return failures
    }

    private func insertTeam() throws {
        let context = try open(Sides.First.self)
        let (team, user) = (Sides.First.Team(), Sides.First.User())
        for model in [team, user] as [any PersistentModel] { context.insert(model) }
        team.members = [user]
        try context.save()
    }

    private func checkThatTheOtherSideRemains(_ change: Change) throws -> [String] {
        try insertTeam()
        if change != .attributeInPlaceOfASide { _ = try open(Sides.OneSide.self) }
        let context =
            switch change {
            case .attributeWithTheNameOfARemovedSide: try open(Sides.Number.Team.self, Sides.Number.User.self)
            case .attributeInStage: try open(Sides.Number.self, plan: Sides.Plan.self)
            default: try open(Sides.Number.self, plan: Sides.CustomPlan.self)
            }
        let user = try context.fetch(FetchDescriptor<Sides.Number.User>()).first
        return failure("\(user?.teams.count ?? -1) teams", unless: user?.teams.count == 1)
    }

    private func checkSeparatedSides(_ change: Change) throws -> [String] {
        try insertTeam()
        switch change {
        case .separatedSides:
            let context = try open(Sides.Separated.Team.self, Sides.Separated.User.self)
            let team = try context.fetch(FetchDescriptor<Sides.Separated.Team>()).first
            let user = try context.fetch(FetchDescriptor<Sides.Separated.User>()).first
            let counts = [team?.members.count, team?.added.count, user?.others.count, user?.teams.count]
            return failure("\(counts)", unless: counts == [1, 1, 1, 1])
        case .separatedAndRenamedSides:
            let context = try open(Sides.Renamed.Team.self, Sides.Renamed.User.self)
            let team = try context.fetch(FetchDescriptor<Sides.Renamed.Team>()).first
            let user = try context.fetch(FetchDescriptor<Sides.Renamed.User>()).first
            let counts = [team?.people.count, team?.added.count, user?.others.count, user?.teams.count]
            return failure("\(counts)", unless: counts == [1, 1, 1, 1])
        default:
            let context = try open(Sides.Reference.Team.self, Sides.Reference.User.self)
            let team = try context.fetch(FetchDescriptor<Sides.Reference.Team>()).first
            let user = try context.fetch(FetchDescriptor<Sides.Reference.User>()).first
            let counts = [team?.members == nil ? 0 : 1, team?.added.count, user?.others.count, user?.teams.count]
            return failure("\(counts)", unless: counts == [1, 1, 1, 1])
        }
    }

    private func insertItem() throws {
        let context = try open(Returning.First.Item.self, Returning.First.Tag.self)
        let (item, tag) = (Returning.First.Item(), Returning.First.Tag())
        for model in [item, tag] as [any PersistentModel] { context.insert(model) }
        (item.rating, item.tags) = (5, [tag])
        try context.save()
        _ = try open(Returning.Removed.Item.self, Returning.Removed.Tag.self)
    }

    private func checkReadOnlyValue() throws -> [String] {
        try insertItem()
        let failures = try expect(.loadIssueModelContainer) {
            _ = try open(Returning.Rated.Item.self, Returning.Rated.Tag.self, allowsSave: false)
        }
        _ = try open(Returning.Rated.Item.self, Returning.Rated.Tag.self)
        let context = try open(Returning.Rated.Item.self, Returning.Rated.Tag.self, allowsSave: false)
        let ratings = try context.fetch(FetchDescriptor<Returning.Rated.Item>()).map(\.rating)
        return failures + failure("\(ratings)", unless: ratings == [3])
    }

    private func checkReadOnlyLinks() throws -> [String] {
        try insertItem()
        let failures = try expect(.loadIssueModelContainer) {
            _ = try open(Returning.Tagged.Item.self, Returning.Tagged.Tag.self, allowsSave: false)
        }
        _ = try open(Returning.Tagged.Item.self, Returning.Tagged.Tag.self)
        let context = try open(Returning.Tagged.Item.self, Returning.Tagged.Tag.self, allowsSave: false)
        let counts = try context.fetch(FetchDescriptor<Returning.Tagged.Item>()).map(\.tags.count)
        return failures + failure("\(counts)", unless: counts == [0])
    }

    private func checkColumnOfSibling() throws -> [String] {
        _ = try open(Siblings.First.Base.self, Siblings.First.One.self, Siblings.First.Two.self)
        let second = try open(Siblings.Second.self)
        let two = Siblings.Second.Two()
        for model in [two, Siblings.Second.One()] { second.insert(model) }
        two.value = 7
        try second.save()
        let context = try open(Siblings.Third.self, plan: Siblings.Plan.self)
        let values = [
            try context.fetch(FetchDescriptor<Siblings.Third.Two>()).map(\.value),
            try context.fetch(FetchDescriptor<Siblings.Third.One>()).map(\.value),
        ]
        return failure("\(values)", unless: values == [[7], [nil]])
    }

    /// The list contains the book only, also if the program does not know the class of the disc.
    private func checkMovedReference(_ change: Change) throws -> [String] {
        let second: ModelContext
        if change == .listWithoutASiblingThatHadTheReference {
            let first = try open(
                MovedReference.OfDiscs.Item.self, MovedReference.OfDiscs.Disc.self, MovedReference.OfDiscs.Owner.self)
            let owner = MovedReference.OfDiscs.Owner()
            owner.discs = [MovedReference.OfDiscs.Disc()]
            first.insert(owner)
            try first.save()
            second = try openMovedReferences(withDisc: true)
            let book = MovedReference.OfOne.Book()
            second.insert(book)
            book.owner = try second.fetch(FetchDescriptor<MovedReference.OfOne.Owner>()).first
            try second.save()
        } else {
            let first = try open(
                MovedReference.OfAll.Item.self, MovedReference.OfAll.Book.self, MovedReference.OfAll.Disc.self,
                MovedReference.OfAll.Owner.self)
            let items = [MovedReference.OfAll.Book(), MovedReference.OfAll.Disc(), MovedReference.OfAll.Item()]
            let owner = MovedReference.OfAll.Owner()
            owner.things = items
            first.insert(owner)
            try first.save()
            second = try openMovedReferences(withDisc: change != .listWithoutAnEarlierSibling)
        }
        let counts = try second.fetch(FetchDescriptor<MovedReference.OfOne.Owner>()).map(\.books.count)
        let third =
            change == .listInPlaceOfAReferenceOfSiblings
            ? try open(
                MovedReference.List.Item.self, MovedReference.List.Book.self, MovedReference.List.Disc.self,
                MovedReference.List.Owner.self)
            : try open(
                MovedReference.List.Item.self, MovedReference.List.Book.self, MovedReference.List.Owner.self)
        let lists = try third.fetch(FetchDescriptor<MovedReference.List.Owner>()).map(\.books.count)
        let books = try third.fetch(FetchDescriptor<MovedReference.List.Book>()).map(\.owner.count)
        return failure("\(counts) \(lists) \(books)", unless: counts == [1] && lists == [1] && books == [1])
    }

    private func openMovedReferences(withDisc: Bool) throws -> ModelContext {
        guard withDisc else {
            return try open(
                MovedReference.OfOne.Item.self, MovedReference.OfOne.Book.self, MovedReference.OfOne.Owner.self)
        }
        return try open(
            MovedReference.OfOne.Item.self, MovedReference.OfOne.Book.self, MovedReference.OfOne.Disc.self,
            MovedReference.OfOne.Owner.self)
    }

    private func checkRenamedColumn() throws -> [String] {
        _ = try open(Places.Links.Item.self, Places.Links.Tag.self)
        _ = try open(Places.Removed.Item.self, Places.Removed.Tag.self)
        let earlier = try open(Places.Number.self)
        let item = Places.Number.Item()
        earlier.insert(item)
        item.value = 5
        try earlier.save()
        let context = try open(Places.Renamed.self, plan: Places.Plan.self)
        let items = try context.fetch(FetchDescriptor<Places.Renamed.Item>())
        return failure("\(items.map(\.number))", unless: items.map(\.number) == [5])
            + failure("\(items.map(\.value))", unless: items.map(\.value) == ["new"])
    }

    /// The number of a property in the history.
    private func number(of property: String) throws -> String {
        try sql(
            """
            SELECT number FROM chronicle_attribute WHERE name = '\(property)' \
            AND entity = (SELECT id FROM chronicle_entity WHERE name = 'Item')
            """)
    }

    private func checkHistoryOfSuccessors() throws -> [String] {
        let first = try open(
            Successors.Reference.Item.self, Successors.Reference.Tag.self, Successors.Reference.Other.self)
        let item = Successors.Reference.Item()
        first.insert(item)
        item.value = Successors.Reference.Tag()
        try first.save()
        let earlier = try number(of: "value")
        let context = try open(Successors.List.Item.self, Successors.List.Tag.self, Successors.List.Other.self)
        let counts = try context.fetch(FetchDescriptor<Successors.List.Item>()).map {
            [$0.values.count, $0.value.count]
        }
        let list = try number(of: "values")
        var failures =
            try failure("\(counts)", unless: counts == [[1, 0]])
            + failure("\(earlier) became \(list)", unless: list == earlier)
            + failure("two properties are \(earlier)", unless: number(of: "value") != earlier)
        // The list is removed, and a later one with the original name is new.
        _ = try open(Successors.Removed.Item.self, Successors.Removed.Tag.self, Successors.Removed.Other.self)
        _ = try open(Successors.New.Item.self, Successors.New.Tag.self, Successors.New.Other.self)
        failures += try failure("\(list) is the new list", unless: number(of: "added") != list)
        return failures
    }

    private func checkRequiredValues() throws -> [String] {
        let earlier = try open(Codes.Unique.Item.self)
        for _ in 0..<2 { earlier.insert(Codes.Unique.Item()) }
        try earlier.save()
        let context = try open(Codes.Required.Item.self)
        let codes = try context.fetch(FetchDescriptor<Codes.Required.Item>()).map(\.code)
        return failure("\(codes)", unless: codes == ["a", "a"])
    }

    private func checkConstraint() throws -> [String] {
        let earlier = try open(Codes.Required.Item.self)
        for _ in 0..<2 { earlier.insert(Codes.Required.Item()) }
        try earlier.save()
        _ = try open(Codes.Removed.Item.self)
        let context = try open(Codes.UniqueAgain.Item.self)
        let codes = try context.fetch(FetchDescriptor<Codes.UniqueAgain.Item>()).map(\.code)
        return failure("\(codes)", unless: codes == [nil, nil])
    }

    private func checkReference() throws -> [String] {
        let earlier = try open(Dangling.Author.self, Dangling.Text.self)
        let (author, text) = (Dangling.Author(), Dangling.Text())
        for model in [author, text] as [any PersistentModel] { earlier.insert(model) }
        text.author = author
        try earlier.save()
        earlier.delete(author)
        try earlier.save()
        _ = try open(Unrelated.Author.self, Unrelated.Text.self)
        let context = try open(Nullified.Author.self, Nullified.Text.self)
        let authors = try context.fetch(FetchDescriptor<Nullified.Text>()).map { $0.author == nil }
        return failure("\(authors)", unless: authors == [true])
    }
}
