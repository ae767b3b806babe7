# unittest in a script
import sys, unittest
class Test(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1 + 1, 2)
    def test_bad(self):
        self.assertEqual(1 + 1, 3)
stream = __import__("io").StringIO()
result = unittest.TextTestRunner(stream=stream).run(unittest.defaultTestLoader.loadTestsFromTestCase(Test))
print(result.testsRun, len(result.failures), "AssertionError: 2 != 3" in stream.getvalue())
unittest.main(argv=["x", "Test.test_good"], exit=False, testRunner=unittest.TextTestRunner(stream=stream))
