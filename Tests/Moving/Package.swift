// swift-tools-version: 6.3

import PackageDescription

// A model layer for SwiftData that is built twice: unchanged, with the product `SwiftData`, and with only its imports
// changed, with the product `Chronicle`.
let package = Package(
    name: "Moving",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named explicitly, because the folder of a clone may have any name.
        .package(name: "chronicle", path: "../..")
    ],
    targets: [
        .target(name: "Trips", dependencies: [.product(name: "SwiftData", package: "chronicle")]),
        .target(
            name: "MovedTrips", dependencies: [.product(name: "Chronicle", package: "chronicle")],
            plugins: ["ChangeImport"]),
        .target(name: "Members", dependencies: [.product(name: "SwiftData", package: "chronicle")]),
        .plugin(name: "ChangeImport", capability: .buildTool()),
        .testTarget(name: "MovingTests", dependencies: ["Trips", "MovedTrips"]),
    ],
    swiftLanguageModes: [.v6]
)
