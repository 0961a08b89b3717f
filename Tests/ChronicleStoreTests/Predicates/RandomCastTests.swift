import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Creates random predicates that cast vehicles to their subclasses.
private struct CastGenerator {
    typealias Node<Output> = any StandardPredicateExpression<Output>
    typealias Variable = PredicateExpressions.Variable<Vehicle>
    private typealias Cast<Sub> = PredicateExpressions.ConditionalCast<Variable, Sub>

    private var random: SplitMix
    private let identifiers: [PersistentIdentifier?]

    init(_ random: SplitMix, _ identifiers: [PersistentIdentifier]) {
        self.random = random
        self.identifiers = identifiers + [nil]
    }

    mutating func predicate() -> Predicate<Vehicle> { Predicate { condition($0, 3) } }

    private mutating func condition(_ vehicle: Variable, _ depth: Int) -> Node<Bool> {
        switch random.below(depth > 0 ? 8 : 4) {
        case 0..<4: return comparison(vehicle)
        case 4: return Nodes.and(condition(vehicle, depth - 1), condition(vehicle, depth - 1))
        case 5: return Nodes.or(condition(vehicle, depth - 1), condition(vehicle, depth - 1))
        case 6:
            return Nodes.choice(
                condition(vehicle, depth - 1), condition(vehicle, depth - 1), condition(vehicle, depth - 1))
        default: return Nodes.not(condition(vehicle, depth - 1))
        }
    }

    private mutating func comparison(_ vehicle: Variable) -> Node<Bool> {
        let isEqual = random.below(2) == 0
        switch random.below(6) {
        case 0:
            let identifier = identifiers[random.below(identifiers.count)]
            return Nodes.equal(self.identifier(vehicle), PredicateExpressions.build_Arg(identifier), isEqual)
        case 1:
            let number = [nil, 2, 4, 5][random.below(4)]
            return Nodes.equal(self.number(vehicle), PredicateExpressions.build_Arg(number), isEqual)
        case 2:
            let plate = PredicateExpressions.build_flatMap(Cast<Car>(vehicle)) {
                PredicateExpressions.build_KeyPath(root: $0, keyPath: \.plate)
            }
            let text: String? = random.below(2) == 0 ? nil : "A 1"
            return Nodes.equal(plate, PredicateExpressions.build_Arg(text), isEqual)
        case 3:
            return random.below(2) == 0
                ? PredicateExpressions.TypeCheck<Variable, Car>(vehicle)
                : PredicateExpressions.TypeCheck<Variable, Truck>(vehicle)
        case 4:
            let none = PredicateExpressions.build_NilLiteral() as PredicateExpressions.NilLiteral<Car>
            return isEqual
                ? PredicateExpressions.build_Equal(lhs: Cast<Car>(vehicle), rhs: none)
                : PredicateExpressions.build_NotEqual(lhs: Cast<Car>(vehicle), rhs: none)
        default:
            let car = PredicateExpressions.ForceCast<Variable, Car>(vehicle)
            let seats = PredicateExpressions.build_KeyPath(root: car, keyPath: \.seats)
            return Nodes.equal(seats, PredicateExpressions.build_Arg(5), isEqual)
        }
    }

    private mutating func identifier(_ vehicle: Variable) -> Node<PersistentIdentifier?> {
        if random.below(2) == 0 {
            return PredicateExpressions.build_flatMap(Cast<Car>(vehicle)) {
                PredicateExpressions.build_KeyPath(root: $0, keyPath: \.persistentModelID)
            }
        }
        return PredicateExpressions.build_flatMap(Cast<Taxi>(vehicle)) {
            PredicateExpressions.build_KeyPath(root: $0, keyPath: \.persistentModelID)
        }
    }

    private mutating func number(_ vehicle: Variable) -> Node<Int?> {
        if random.below(2) == 0 {
            return PredicateExpressions.build_flatMap(Cast<Car>(vehicle)) {
                PredicateExpressions.build_KeyPath(root: $0, keyPath: \.seats)
            }
        }
        return PredicateExpressions.build_flatMap(Cast<Truck>(vehicle)) {
            PredicateExpressions.build_KeyPath(root: $0, keyPath: \.wheels)
        }
    }
}

@Suite struct RandomCastTests {
    /// Unsaved, saved and edited models match the predicates that Foundation says they match.
    @Test(arguments: PredicateFixture.all, TestSeed.rounds(2)) func castsAgree(
        _ fixture: PredicateFixture, _ number: Int
    ) throws {
        let store = try fixture.open(Schema(vehicleModels))
        let context = store.context()
        let cars = [Car("car"), Car("other", seats: 2), Taxi("taxi")]
        cars[1].plate = "A 1"
        let vehicles = [Vehicle("vehicle"), Truck("truck")] + cars
        for vehicle in vehicles { context.insert(vehicle) }
        for state in ["unsaved", "saved", "edited"] {
            var generator = CastGenerator(TestSeed.generator(number), vehicles.map(\.persistentModelID))
            for _ in 0..<60 {
                let predicate = generator.predicate()
                // A forced cast that fails throws an error, and the model does not match.
                let expected = vehicles.filter { (try? predicate.evaluate($0)) ?? false }.map(\.name)
                let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
                #expect(found.sorted() == expected.sorted(), "\(state): \(predicate), \(TestSeed.description)")
                let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
                #expect(count == expected.count, "\(state): \(predicate), \(TestSeed.description)")
            }
            if state == "unsaved" {
                try context.save()
            } else {
                (cars[0].seats, cars[0].plate, cars[1].plate, vehicles[1].wheels) = (2, "A 1", nil, 5)
            }
        }
    }
}
