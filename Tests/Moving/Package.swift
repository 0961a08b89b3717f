// swift-tools-version: 6.3

import PackageDescription

// A model layer as one writes it for SwiftData, built twice: as it is, with the product `SwiftData`, and with nothing
// changed but its imports, with the product `Chronicle`.
let package = Package(
    name: "Moving",
    platforms: [.macOS(.v15)],
    dependencies: [
        // By name, so that the folder of the clone may have any.
        .package(name: "chronicle", path: "../..")
    ],
    targets: [
        .target(name: "Trips", dependencies: [.product(name: "SwiftData", package: "chronicle")]),
        .target(
            name: "MovedTrips", dependencies: [.product(name: "Chronicle", package: "chronicle")],
            plugins: ["ChangeImport"]),
        .plugin(name: "ChangeImport", capability: .buildTool()),
        .testTarget(name: "MovingTests", dependencies: ["Trips", "MovedTrips"]),
    ],
    swiftLanguageModes: [.v6]
)
