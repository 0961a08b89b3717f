import Testing
import SwiftSyntax
@testable import ChronicleMacros
@Test func a() { #expect(Macros.all.count == 1) }
